"""Records by pairs of values: counted in any order and parts, and written sorted."""

import tempfile
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.mechanism import contingency
from microleak.attacks.mechanism.contingency import (
    count_pairs,
    read_contingency,
    released_values,
)
from microleak.attacks.mechanism.section import Counted
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from tests.compared import person_file
from tests.examples import examples

NAMES = ("school", "sex", "race")
PEOPLE = [
    *(("b", "f", "1"), ("a", "f", None), ("b", "m", "1"), ("a", None, None)),
    *(("b", "f", "2"), ("c", None, "1"), ("b", "f", "1")),
]

values = st.sampled_from(["1", "10", "é", "~", None])
tables = st.lists(st.tuples(values, values, values), min_size=1, max_size=12)


def counted(folder, rows=PEOPLE, attributes=NAMES, threads=1, memory=16_000, **more):
    folder = Path(folder)
    people = person_file(folder / "people.parquet", NAMES, rows)
    out = folder / "contingency.parquet"
    what = Counted("demo", "people", "1", tuple(attributes), **more)
    count_pairs(people, what, True, Resources(threads, memory, folder), out)
    return out


def rows_of(path):
    return [tuple(row.values()) for row in pq.read_table(path).to_pylist()]


def sort_key(value):
    return (value is None, (value or "").encode())


def counted_naively(rows, attributes=range(3)):
    """The same rows, each pair of attributes counted by itself and then sorted."""
    found = []
    for i, j in [(i, j) for i in attributes for j in attributes if i <= j]:
        pairs = Counter((row[i], row[j]) for row in rows).items()
        ordered = sorted(pairs, key=lambda pair: [*map(sort_key, pair[0])])
        found += [(i, j, *pair, n) for pair, n in ordered]
    return found


def test_each_pair_of_values_is_counted_a_missing_one_as_itself_and_last(tmp_path):
    assert rows_of(counted(tmp_path, attributes=("school", "sex"))) == [
        *((0, 0, "a", "a", 2), (0, 0, "b", "b", 4), (0, 0, "c", "c", 1)),
        *((0, 1, "a", "f", 1), (0, 1, "a", None, 1), (0, 1, "b", "f", 3)),
        *((0, 1, "b", "m", 1), (0, 1, "c", None, 1)),
        *((1, 1, "f", "f", 4), (1, 1, "m", "m", 1), (1, 1, None, None, 2)),
    ]


@examples(12)
@given(tables, st.randoms())
def test_neither_the_order_of_records_nor_how_they_are_cut_changes_a_byte(rows, random):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        before = counted(one, rows)
        assert rows_of(before) == counted_naively(rows)
        random.shuffle(rows)
        assert before.read_bytes() == counted(other, rows, threads=2).read_bytes()


def test_many_possible_pairs_are_counted_as_few_are(tmp_path, monkeypatch):
    monkeypatch.setattr(contingency, "FEW_PAIRS", 0)
    monkeypatch.setattr(contingency, "LEAST_MERGED", 0)
    assert rows_of(counted(tmp_path)) == counted_naively(PEOPLE)


def test_records_are_kept_that_have_one_of_the_values_in_every_attribute(tmp_path):
    keep = {"school": ("b", "a"), "race": ("1", None)}
    kept = [row for row in PEOPLE if row[0] in keep["school"] and row[2] in (None, "1")]
    path = counted(tmp_path, attributes=("sex",), keep=keep)
    totals = Counter(row[1] for row in kept)
    assert rows_of(path) == [
        (0, 0, "f", "f", totals["f"]),
        (0, 0, "m", "m", totals["m"]),
        (0, 0, None, None, totals[None]),
    ]
    assert released_values(path, 0).to_pylist() == ["f", "m", None]


def test_the_file_says_that_a_twin_made_the_records(tmp_path):
    metadata = pq.read_schema(counted(tmp_path)).metadata
    assert metadata[b"data"] == b"SYNTHETIC"


def test_a_pair_is_read_with_the_places_of_its_values(tmp_path):
    pair = read_contingency(counted(tmp_path), (0, 1))
    assert pair.first_values.to_pylist() == ["a", "b", "c"]
    assert pair.second_values.to_pylist() == ["f", "m", None]
    assert pair.first.tolist() == [0, 0, 1, 1, 2]
    assert pair.second.tolist() == [0, 2, 0, 1, 2]
    assert pair.n_records.tolist() == [1, 1, 3, 1, 1]
    assert pair.transposed.first_values.to_pylist() == ["f", "m", None]


def test_a_filter_that_keeps_nobody_is_refused_without_its_values(tmp_path):
    words = r"people 1 has no record with the values of filter \(school, race\)"
    with pytest.raises(TableError, match=words) as error:
        counted(tmp_path, keep={"school": ("c",), "race": ("2",)})
    assert str(error.value).startswith("analysis 'demo'")


@pytest.mark.parametrize(
    ("values", "place"), [(("canary",), "1st"), (("1", None, "canary", "x"), "3rd")]
)
def test_a_filter_s_value_of_no_record_is_refused_by_its_place(tmp_path, values, place):
    words = f"'demo': the {place} value of filter of race is that of no record of peopl"
    with pytest.raises(TableError, match=words) as error:
        counted(tmp_path, keep={"sex": ("f",), "race": values})
    assert "canary" not in str(error.value)


def test_values_that_a_filter_leaves_out_are_known_and_counted_nowhere(tmp_path):
    path = counted(tmp_path, attributes=("sex", "race"), keep={"school": ("c",)})
    assert rows_of(path) == [
        *((0, 0, "f", "f", 0), (0, 0, "m", "m", 0), (0, 0, None, None, 1)),
        (0, 1, None, "1", 1),
        *((1, 1, "1", "1", 1), (1, 1, "2", "2", 0), (1, 1, None, None, 0)),
    ]
    assert released_values(path, 0).to_pylist() == ["f", "m", None]
    assert released_values(path, 1).to_pylist() == ["1", "2", None]
    assert read_contingency(path, (0, 0)).first_values.to_pylist() == [None]


def test_a_release_without_records_is_refused(tmp_path):
    with pytest.raises(TableError, match="people 1 has no records"):
        counted(tmp_path, [])


def test_more_pairs_than_memory_has_place_for_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(contingency, "LEAST_MERGED", 0)
    monkeypatch.setattr(contingency, "BYTES_A_PAIR", 2**30)
    with pytest.raises(TableError, match="for the memory given; sex with race"):
        counted(tmp_path)
