"""The tables of one target, from files of records."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.targets.measure import attack_chunks, attack_target
from microleak.attacks.targets.section import Target
from microleak.base.errors import TableError
from microleak.records.chunks import ParquetChunks, TableChunks
from microleak.study.tables import result_tables as specs

TARGET = tuple(specs()["target"].names)

PEOPLE = {
    "age": ["025", "25", "25", None, None, "60"],
    "sex": ["F", "F", "F", "M", "M", "M"],
    "ill": ["no", "yes", "yes", "no", None, "no"],
}
LATER = {
    "age|2015": ["026", "26", None, None, None, "61"],
    "town|2015": ["A", "B", None, "A", "A", "B"],
}
ROWS_A_GROUP = 2


def written(path, columns):
    text = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    pq.write_table(pa.table(text), path, row_group_size=ROWS_A_GROUP)
    return path


@pytest.fixture
def people(tmp_path):
    return written(tmp_path / "people.parquet", PEOPLE)


@pytest.fixture
def later(tmp_path):
    return written(tmp_path / "2015.parquet", LATER)


def target(known, sensitive=(), further=()):
    if not all(isinstance(values, dict) for values in known.values()):
        known = {"2014": known}
    return Target("t", "people", "2014", known, sensitive, further)


def rows(table):
    """Rows as dictionaries, undefined shares as None."""
    return table.astype(object).where(table.notna(), None).to_dict("records")


def test_each_row_says_which_attack_on_what_with_what_known(people, later):
    known = {"2014": {"sex": "M"}, "2015": {"town": "A"}}
    first, second = rows(
        attack_target([people, later], target(known, ("ill",)))["target"]
    )
    assert [first[name] for name in TARGET[:8]] == [
        *("IRL", "t", "people", "2014", "2015", "sex|2015.town", 2, "")
    ]
    assert (second["attack"], second["sensitive"]) == ("IAL", "ill")


def test_a_leading_zero_makes_another_value(people):
    for age, n in (("025", 1), ("25", 2), ("0025", 0)):
        (found,) = rows(attack_target([people], target({"age": age}))["target"])
        assert found["block_size"] == n


def test_a_known_missing_value_matches_missing_ones_only(people):
    (found,) = rows(attack_target([people], target({"age": None}))["target"])
    assert found["block_size"] == 2
    (found,) = rows(attack_target([people], target({"age": ""}))["target"])
    assert found["outcome"] == "no match"


def test_absence_from_a_release_is_known_as_a_missing_value(people, later):
    known = {"2014": {"sex": "F"}, "2015": {"age": None}}
    (found,) = rows(attack_target([people, later], target(known))["target"])
    assert (found["block_size"], found["posterior_det"]) == (1, "true")


def test_no_match_leaves_posteriors_empty_and_priors_as_they_are(people):
    found = rows(attack_target([people], target({"sex": "X"}, ("ill",)))["target"])
    assert [row["outcome"] for row in found] == ["no match", "no match"]
    assert [row["prior_prob"] for row in found] == [1 / 6, 3 / 6]
    for row in found:
        assert (row["block_size"], row["n_modal"], row["n_distinct"]) == (0, 0, 0)
        assert (row["posterior_det"], row["degradation_det"]) == ("", "")
        assert (row["posterior_prob"], row["degradation_prob"]) == (None, None)
        assert row["most_likely"] == ""


def test_the_most_likely_value_or_all_of_them_is_named(people, known, most_likely):
    first, second = rows(attack_target([people], target(known, ("ill",)))["target"])
    assert (first["most_likely"], second["most_likely"]) == ("", most_likely)


def test_what_would_narrow_the_block_most_comes_first_and_then_by_name(people, later):
    known = {"2014": {"sex": "M"}, "2015": {"age": None}}
    more = {"town": ["C"] * 6, "work": ["1", "2", "3", "4", "5", "6"]}
    wide = written(people.parent / "more.parquet", PEOPLE | more)
    also = {"work|2015": [None] * 6}
    linked = written(later.parent / "also.parquet", LATER | also)
    further = ("town", "work", "age")
    found = attack_target([wide, linked], target(known, (), further))["further"]
    assert [tuple(row.values()) for row in rows(found)] == [
        ("t", "work", 2, 2, 1.0, 1.0, 1.0),
        ("t", "2015.town", 2, 1, 0.5, 0.0, 2.0),
        ("t", "2015.work", 2, 1, 0.5, 0.0, 2.0),
        ("t", "age", 2, 1, 0.5, 0.0, 2.0),
        ("t", "town", 2, 1, 0.5, 0.0, 2.0),
    ]


def test_the_most_likely_values_cannot_be_taken_for_others(values, most_likely):
    n = len(values)
    table = pa.table({"sex": ["F"] * n, "ill": pa.array(values, pa.string())})
    found = attack_chunks(TableChunks(table), target({"sex": "F"}, ("ill",)))["target"]
    assert found["most_likely"].iloc[1] == most_likely


def test_chunks_of_any_size_give_the_same_tables(people, later):
    known = {"2014": {"sex": "M"}, "2015": {"town": "A"}}
    one = target(known, ("ill",), ("age", "town"))
    wide = written(people.parent / "w.parquet", PEOPLE | {"town": list("ABCABC")})
    whole = attack_target([wide, later], one)
    cut = attack_chunks(ParquetChunks([wide, later], ROWS_A_GROUP), one)
    assert whole["target"].equals(cut["target"])
    assert whole["further"].equals(cut["further"])


def test_known_values_are_in_no_table(people):
    one = target({"sex": "F", "age": "025"}, ("ill",), ("age",))
    found = attack_target([people], one)
    assert "025" not in found["target"].to_csv() + found["further"].to_csv()


def test_a_table_without_records_is_refused():
    empty = pa.table({"sex": pa.array([], pa.string())})
    with pytest.raises(TableError, match="has no records, so no attack has a success"):
        attack_chunks(TableChunks(empty), target({"sex": "F"}))
