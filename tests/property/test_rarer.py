"""People with a rarer value, and the values that are most exposed, by counting."""

from collections import Counter
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import microleak
from microleak.records import coding, exposed
from tests import naive
from tests.examples import examples
from tests.property.tables import records, tables


def text(value):
    return None if value is None else f"v{value}"


def most_frequent(column):
    """The most frequent value, of several the first as text, a missing one before."""
    counts = Counter(map(text, column))
    return min(counts, key=lambda v: (-counts[v], v is not None, v or ""))


def certain_records(qids, column):
    """Places of records in blocks that have one value."""
    blocks = naive.blocks(records(qids, (1 << len(qids)) - 1)).values()
    return [i for b in blocks if len({column[i] for i in b}) == 1 for i in b]


def assessed(table, most_values, least=exposed.LEAST_NAMED):
    """Blocks' QIDs, a sensitive column, and its row and values of all QIDs."""
    qids, sensitive = table
    assume(sensitive)
    (column,) = sensitive
    names = [f"q{i}" for i in range(len(qids))]
    columns = dict(zip([*names, "s"], [*qids, column], strict=True))
    frame = pd.DataFrame({n: list(map(text, c)) for n, c in columns.items()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "MOST_VALUES", most_values)
        patch.setattr(exposed, "LEAST_NAMED", least)
        found = microleak.assess(frame.astype(object), names, ["s"])
    of_all = f"qids == {'|'.join(names)!r} and sensitive == 's'"
    row = found.collective.query(of_all).iloc[0]
    return qids, column, row, found.values.query(of_all)


@given(tables(max_qids=3, max_sensitive=1), st.sampled_from([1, 3, 10]))
@examples(60)
def test_of_people_with_a_rarer_value_as_many_are_certain_as_by_counting(table, most):
    qids, column, row, _ = assessed(table, most)
    mode = most_frequent(column)
    is_rarer = [text(v) not in {None, mode} for v in column]
    certain = certain_records(qids, column)
    assert row["n_rarer"] == sum(is_rarer)
    assert row["n_certain_rarer"] == sum(is_rarer[i] for i in certain)


@given(tables(max_qids=2, max_sensitive=1), st.integers(1, 3))
@examples(60)
def test_of_many_values_those_are_measured_that_are_most_exposed(table, least):
    qids, column, _, values = assessed(table, 1, least)
    counts, mode = Counter(map(text, column)), most_frequent(column)
    certain = Counter(text(column[i]) for i in certain_records(qids, column))
    ranked = sorted(
        (-Fraction(certain[v], counts[v]), counts[v], v)
        for v in counts.keys() - {None, mode}
        if certain[v] and counts[v] >= least
    )
    missing = [None] * (None in counts and mode is not None)
    named = [*missing, *(v for *_, v in ranked)][:3]
    told = [None if pd.isna(v) else v for v in values["value"]]
    assert sorted(told, key=str) == sorted(named, key=str)
    for _, each in values.iterrows():
        value = None if each["is_missing"] else each["value"]
        assert each["n_members"] == counts[value]
        assert each["n_certain"] == certain[value]
