"""What is known roughly, against every record known in every way, one after another."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microleak
from microleak.attacks.rough_knowledge import measure

UNKNOWN = "unknown"


@st.composite
def known_tables(draw):
    """Records with an age, a race and a town; an illness; and how these are known."""
    n = draw(st.integers(1, 12))

    def column(*values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    people = pd.DataFrame(
        {
            "age": pd.array(column(25, 26, 28, None), dtype="Int64"),
            "race": pd.array(column("a", "b", None), dtype="string"),
            "town": pd.array(column("x", "y"), dtype="string"),
            "ill": pd.array(column("n", "y", None), dtype="string"),
        }
    )
    chance = st.sampled_from(["0", "1/4", "1/3"])
    confusion = {
        "a": {"a": "2/3", "b": "1/3"},
        None: {None: "1/2", "a": "1/4", "c": "1/4"},
    }
    ways = {
        "age": [{"within": 1}, {"within": 2, "unknown": "1/4"}, {"unknown": "1/3"}],
        "race": [{"confusion": confusion}, {"confusion": confusion, "unknown": "1/2"}],
        "town": [{"unknown": draw(chance)}],
    }
    names = draw(st.sets(st.sampled_from(["age", "race", "town"]), min_size=1))
    return people, {name: draw(st.sampled_from(ways[name])) for name in sorted(names)}


def ways_of(value, rough):
    """The chance of each value that a true one is known as."""
    if rough is None:
        return {value: Fraction(1)}
    unknown = Fraction(rough.get("unknown", 0))
    near = {value: Fraction(1)}
    if "within" in rough and value is not None:
        k = rough["within"]
        near = {value + d: Fraction(1, 2 * k + 1) for d in range(-k, k + 1)}
    if "confusion" in rough and value in rough["confusion"]:
        near = {v: Fraction(p) for v, p in rough["confusion"][value].items()}
    found = {v: p * (1 - unknown) for v, p in near.items()}
    return found | ({UNKNOWN: unknown} if unknown else {})


def by_definition(people, qids, roughly, sensitive):
    rows = people.astype(object).where(people.notna(), None)
    records = [tuple(row) for row in rows[list(qids)].itertuples(index=False)]
    values = [*rows[sensitive]] if sensitive else [*range(len(rows))]
    n = len(records)
    belief = defaultdict(dict)
    for r, record in enumerate(records):
        each = [ways_of(v, roughly.get(q)) for v, q in zip(record, qids, strict=True)]
        for y in product(*each):
            chance = Fraction(1)
            for known, ways in zip(y, each, strict=True):
                chance *= ways[known]
            if chance:
                belief[y][r] = chance / n
    certain = right = claimed = claimed_right = Fraction(0)
    for y, of_record in belief.items():
        by_value = Counter()
        for r, chance in of_record.items():
            by_value[values[r]] += chance
        right += max(by_value.values())
        certain += sum(by_value.values()) if len(by_value) == 1 else 0
        matching = [
            r
            for r, record in enumerate(records)
            if all(k in (UNKNOWN, v) for k, v in zip(y, record, strict=True))
        ]
        if matching and len({values[r] for r in matching}) == 1:
            claimed += sum(by_value.values())
            claimed_right += by_value[values[matching[0]]]
    return certain, right, claimed, claimed_right


@given(known_tables())
@settings(max_examples=500, deadline=None)
def test_success_is_that_of_every_record_known_in_every_way(table):
    people, roughly = table
    found = microleak.rough_knowledge(
        people, ["age", "race", "town"], roughly, sensitive=["ill"], subsets="full"
    ).rough_knowledge
    for row in found.itertuples():
        qids, sensitive = row.qids.split("|"), row.sensitive or None
        sensitive = None if pd.isna(row.sensitive) else sensitive
        shares = by_definition(people, qids, roughly, sensitive)
        exact = by_definition(people, qids, {}, sensitive)
        names = ("posterior_det", "posterior_prob", "claimed", "claimed_right")
        for name, share in zip(names, shares, strict=True):
            assert getattr(row, name) == float(share), name
        assert row.posterior_det_exact == float(exact[0])
        assert row.posterior_prob_exact == float(exact[1])
        assert row.posterior_prob <= row.posterior_prob_exact
        *_, claimed, right = shares
        if claimed:
            assert row.claims_that_hold == float(right / claimed)
        else:
            assert pd.isna(row.claims_that_hold)


@given(known_tables())
@settings(max_examples=50, deadline=None)
def test_parts_that_have_nothing_in_common_are_weighed_one_by_one(table):
    people, roughly = table
    qids = ["town", "age", "race"]

    def found():
        given = {name: how for name, how in roughly.items() if name != "town"}
        given = given or {"age": {"within": 1}}
        sensitive = ["ill"]
        return microleak.rough_knowledge(
            people, qids, given, sensitive=sensitive, subsets="all"
        ).rough_knowledge

    whole = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "ROWS_AT_ONCE", 3)
        pd.testing.assert_frame_equal(found(), whole)
