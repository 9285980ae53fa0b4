"""Values of any type are equal, missing or asked for as they are in their column."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microleak
from microleak.base.errors import TableError
from tests.examples import long

CODES = [0, 0, 1, 2, None, None, 2, 2]
KINDS = {
    "text": ["a", "b", "c"],
    "integers": [7, 8, 9],
    "decimals": [Decimal("1.00"), Decimal("1.10"), Decimal("2.00")],
    "dates": [date(2020, 1, day) for day in (1, 2, 3)],
    "datetimes": [datetime(2020, 1, day) for day in (1, 2, 3)],
    "instants": [datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2, 3)],
    "durations": [timedelta(days=days) for days in (1, 2, 3)],
    "floats": [0.5, 1.0, -1.25],
}
ILL = ["y", "y", "n", "n", "y", "n", "y", "y"]


def frames(values):
    column = [None if code is None else values[code] for code in CODES]
    table = pa.table({"x": pa.array(column), "ill": ILL})
    yield table
    yield table.to_pandas()
    yield table.to_pandas().astype("category")
    yield pd.DataFrame({"x": pd.Series(column, dtype=object), "ill": ILL})
    yield pl.from_arrow(table)


# Others are like them: tests/property/test_same_values.py
FEW = ("text", "integers", "dates", "floats")
OTHERS = [kind for kind in KINDS if kind not in FEW]
each_kind = pytest.mark.parametrize("kind", [*FEW, *long(*OTHERS)])


@each_kind
def test_every_type_of_values_counts_alike(kind):
    expected = microleak.anonymity(pa.table({"x": CODES, "ill": ILL}), ["x"], ["ill"])
    for frame in frames(KINDS[kind]):
        found = microleak.anonymity(frame, ["x"], ["ill"])
        for name in ("anonymity", "classes"):
            pd.testing.assert_frame_equal(found.to_pandas(name), expected[name])


@each_kind
def test_a_known_value_is_that_of_the_column(kind):
    values = KINDS[kind]
    for frame in frames(values):
        sizes = [
            microleak.target(frame, {"x": value}, ["ill"]).target["block_size"][0]
            for value in (*values, None)
        ]
        assert sizes == [2, 1, 3, 2]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, np.nan])
def test_every_missing_value_is_the_same_one(missing):
    for frame in (pd.DataFrame, pl.DataFrame):
        column = frame({"x": [1.5, None, float("nan"), 2.5]})
        assert microleak.target(column, {"x": missing}).target["block_size"][0] == 2


@pytest.mark.parametrize("value", [1.5, "many", [1]])
def test_a_value_that_the_column_cannot_have_is_refused_and_not_shown(value):
    with pytest.raises(TableError, match=r"values of type int64\. Give val") as error:
        microleak.target(pa.table({"x": [1, 2]}), {"x": value})
    assert str(value) not in str(error.value).replace("int64", "")


def test_a_release_with_fewer_qids_is_given_with_those_it_has():
    first = pd.DataFrame({"id": [1, 2], "town": ["A", "A"], "sex": ["F", "F"]})
    later = pd.DataFrame({"id": [1, 2], "town": ["A", "B"]})
    found = microleak.panel(first, {"then": (later, ["town"])}, "id", ["town", "sex"])
    rows = found.collective.set_index(["auxiliary", "qids"])["n_certain"]
    assert rows["then"].to_dict() == {"town": 2, "sex": 0, "town|sex": 2}


def test_an_order_is_of_values_as_the_column_has_them():
    frame = pd.DataFrame({"x": [1, 1, 2, 2], "grade": [3, 1, 1, 2]})
    texts = frame.assign(grade=frame["grade"].map({1: "low", 2: "mid", 3: "high"}))
    numbers = microleak.anonymity(frame, ["x"], ["grade"], order={"grade": [1, 2, 3]})
    named = microleak.anonymity(
        texts, ["x"], ["grade"], order={"grade": ["low", "mid", "high"]}
    )
    assert numbers.anonymity["t_ordered"].notna().sum() == 1
    pd.testing.assert_frame_equal(numbers.anonymity, named.anonymity)


def test_a_predicate_is_of_values_as_the_column_has_them():
    count = {"sensitive": "age", "useful": "age", "models": ["oblivious", "local"]}
    frame = pd.DataFrame({"age": [25, 30, 30, None, 41]})
    for predicate, n in (
        ({"greater": 25}, 3),
        ({"between": [25, 30]}, 3),
        ({"in": [25, 41]}, 2),
        ({"equals": None}, 1),
    ):
        found = microleak.mechanism(frame, ["ln 3", 0.5], predicate=predicate, **count)
        assert found.mechanism["n_matching"].tolist() == [n] * 4
        assert found.mechanism["epsilon"].tolist() == ["ln 3", "0.5"] * 2


def test_a_filter_keeps_records_of_both_frames():
    town = pd.DataFrame({"age": [25, 25, 60], "zone": [1, 2, 1]})
    found = microleak.membership(town, town[:2], ["age"], filter={"zone": [1]})
    assert found.membership[["n_population", "n_sample"]].iloc[0].tolist() == [2, 1]


def test_a_target_is_asked_for_in_the_sample():
    town = pd.DataFrame({"age": [25, 25, 60], "sex": ["F", "M", "F"]})
    targets = {"one": {"age": 25}, "two": {"age": 60, "sex": "F"}}
    found = microleak.membership(town, town[:2], ["age", "sex"], targets=targets)
    rows = found.member[["target", "n", "d"]].values.tolist()
    assert rows == [["one", 2, 2], ["two", 1, 0]]


def test_a_database_is_a_column_of_truth_values_or_a_chance():
    bits = [1, 0, 0, 1] * 6
    said = {"queries": 100, "errors": 0.5, "attacks": ["least_squares"]}
    expected = microleak.reconstruct(bits, **said).reconstruction
    assert expected[["n_entries", "n_ones"]].values.tolist() == [[24, 12]]
    for given in (np.array(bits), pd.Series(bits) == 1, pl.Series(bits) == 1):
        found = microleak.reconstruct(given, **said).to_pandas()
        pd.testing.assert_frame_equal(found, expected)
    drawn = microleak.reconstruct(0.25, entries=[24], **said).reconstruction
    assert drawn["density"].tolist() == [0.25]


def test_entities_are_counted_by_their_rows():
    rows = pd.DataFrame({"who": [1, 1, 2, 2, 3], "x": ["a", "b", "a", "b", "c"]})
    frame = rows.drop_duplicates("who")
    found = microleak.anonymity(frame, ["x"], entity="who", rows=rows).anonymity
    assert found[["n_entities", "k_anonymity_entities"]].values.tolist() == [[3, 1]]
    alone = microleak.anonymity(frame, ["x"], entity="who").anonymity
    assert alone["n_entity_blocks"].tolist() == [2]
