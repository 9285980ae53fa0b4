"""Special uniques, from a table to its measures, part of the page and figure."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.special_uniques import measure
from microleak.attacks.special_uniques.definitions import (
    SCORES,
    contribution,
    denominator,
)
from microleak.base.errors import StudyError
from microleak.report.parts import Sentences
from tests.property.test_special_uniques import by_definition
from tests.report.made import part_with_figure

QIDS = ("age", "sex", "town", "job", "race")


def people(n, seed):
    rng = np.random.default_rng([7, seed])
    spread = dict(zip(QIDS, (9, 2, 5, 4, 3), strict=True))
    return pd.DataFrame(
        {
            name: [None if v == 0 else f"{name}{v}" for v in rng.integers(0, k + 1, n)]
            for name, k in spread.items()
        }
    )


def sizes_of(lists):
    return Counter(mask.bit_count() for masks in lists for mask in masks)


def vector(lists):
    found = sizes_of(lists)
    return [found[size] for size in range(len(QIDS) + 1)]


@pytest.fixture(scope="module", params=[(40, 1), (150, 2), (1, 3)], ids=str)
def both(request):
    """The tables, and the minimal sample uniques of every record by definition."""
    frame = people(*request.param)
    lists = by_definition([[*frame[name]] for name in QIDS])
    return frame, microleak.special_uniques(frame, QIDS), lists


def test_each_size_counts_sets_and_records(both):
    frame, found, lists = both
    rows = found.special_uniques.set_index("size")
    smallest = Counter(min(map(int.bit_count, masks)) for masks in lists if masks)
    for size in range(1, len(QIDS) + 1):
        having = sum(any(m.bit_count() == size for m in masks) for masks in lists)
        row = rows.loc[size]
        assert row["n_minimal"] == sizes_of(lists)[size]
        assert (row["n_special"], row["n_smallest"]) == (having, smallest[size])
        assert row["n_records"] == len(frame)


def assert_contributed(row, own, whole):
    """Compare a row with the sets of each record, and what all sets contribute."""
    assert row.n_minimal == sum(map(len, own))
    assert row.n_special == sum(bool(masks) for masks in own)
    for score in SCORES:
        expected = float(contribution(vector(own), whole, score))
        assert getattr(row, f"contribution_{score}") == expected


def test_each_attribute_contributes_by_the_sets_that_contain_it(both):
    _, found, lists = both
    whole = vector(lists)
    for q, row in enumerate(found.suda_attributes.itertuples()):
        assert row.qid == QIDS[q]
        own = [{m for m in masks if m >> q & 1} for masks in lists]
        assert_contributed(row, own, whole)


def test_each_value_contributes_as_its_attribute_does(both):
    frame, found, lists = both
    values = found.suda_values
    assert len(values) == sum(frame[name].nunique(dropna=False) for name in QIDS)
    whole = vector(lists)
    for row in values.itertuples():
        q = QIDS.index(row.qid)
        column = frame[row.qid]
        has = column.isna() if row.is_missing else column == row.value
        members = [masks for masks, is_one in zip(lists, has, strict=True) if is_one]
        own = [{m for m in masks if m >> q & 1} for masks in members]
        assert row.n_members == has.sum()
        assert_contributed(row, own, whole)


def test_records_are_counted_by_their_exact_score(both):
    _, found, lists = both
    for score, of in SCORES.items():
        scores = [
            sum((Fraction(of(m.bit_count(), len(QIDS))) for m in masks), Fraction(0))
            for masks in lists
            if masks
        ]
        rows = found.suda_scores[found.suda_scores["score"] == score]
        assert rows["n_special"].sum() == len(scores)
        for row in rows.itertuples():
            assert row.n_special == sum(row.lowest <= s < row.below for s in scores)


def test_ihsn_scores_are_whole_by_their_denominator():
    for n_qids in range(1, 17):
        scores = [SCORES["ihsn"](k, n_qids) for k in range(1, n_qids + 1)]
        assert all((s * denominator(n_qids)).denominator == 1 for s in scores)
        # All sets of a size at once are the most that a record can have.
        most = max(Fraction(s) * denominator(n_qids) * 2**n_qids for s in (*scores, 1))
        assert most < 2**63


def test_values_of_attributes_with_many_are_left_out(monkeypatch):
    monkeypatch.setattr(measure, "MOST_VALUES", 5)
    found = microleak.special_uniques(people(40, 1), QIDS)
    assert {*found.suda_values["qid"]} == {"sex", "job", "race"}


def test_more_qids_than_a_mask_has_bits_are_refused():
    wide = pd.DataFrame({f"q{i}": [1, 2] for i in range(17)})
    with pytest.raises(StudyError, match="17 QIDs, more than the 16 of which minimal"):
        microleak.special_uniques(wide, [*wide])


def part_of(frame, language):
    which = {"analysis": "out", "table": "town", "focal": "1"}
    found = microleak.special_uniques(frame, [*frame])
    tables = {
        name: {"out": rows.assign(**which)} for name, rows in found.tables.items()
    }
    return part_with_figure("special_uniques", tables, ("town", "1"), language)


def test_the_part_tells_who_stands_out_by_one_or_two_attributes():
    frame = pd.DataFrame({"a": [2, 1, 1, 1, 1], "b": [0, 3, 0, 0, 0], "c": [0] * 5})
    told, svg = part_of(frame, "en")
    assert told.heading == (
        "One or two of 3 attributes are enough to single out 2 of 5 records (40.00%)"
    )
    sizes, attributes, _ = told.grids
    assert [row[3] for row in sizes.rows] == ["2", "0", "0"]
    assert [row[0] for row in attributes.rows] == ["a", "b", "c"]
    assert "1: 40.00%; Never alone: 60.00%" in svg


def test_the_part_says_where_more_are_needed_or_nobody_stands_out():
    bits = [(i, i ^ j, j) for i in (0, 1) for j in (0, 1)]
    four = pd.DataFrame(bits, columns=["a", "b", "c"])
    wide = pd.concat([four.assign(d=0), four.assign(d=1)], ignore_index=True)
    told, _ = part_of(wide, "pt")
    assert told.heading == (
        "Nenhum par entre 4 atributos isola registro algum; mais de dois isolam 8 de 8 "
        "(100%)"
    )
    alike = pd.DataFrame({"a": [1, 1], "b": [2, 2]})
    told, _ = part_of(alike, "en")
    assert told.heading == (
        "None of 2 records is singled out, not even by all attributes (2 attributes)"
    )
    assert told.body[0] == Sentences(())
