"""assess takes any frame, leaves it alone, and counts a missing value as one."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

from microleak.base.errors import StudyError, TableError
from tests import naive
from tests.assessing import assess
from tests.property.tables import records, tables

AGE = [25, 25, None, None, 60]
ILL = ["y", "n", "y", "y", None]
HALVES = [slice(0, 2), slice(2, 5)]
FRAMES = {
    "pandas": pd.DataFrame({"age": AGE, "ill": ILL}),
    "pandas objects": pd.DataFrame({"age": AGE, "ill": ILL}, dtype=object),
    "pandas categories": pd.DataFrame({"age": AGE, "ill": ILL}, dtype="category"),
    "polars": pl.DataFrame({"age": AGE, "ill": ILL}),
    "arrow": pa.table({"age": AGE, "ill": ILL}),
    "arrow in chunks": pa.concat_tables(
        [pa.table({"age": AGE[rows], "ill": ILL[rows]}) for rows in HALVES]
    ),
}
COLUMNS = [
    *["qids", "n_qids", "sensitive", "n_records", "n_blocks", "n_certain", "n_modal"],
    *["prior_det", "posterior_det", "degradation_det"],
    *["prior_prob", "posterior_prob", "degradation_prob", "additive_leakage"],
    *["largest_success", "n_largest", "min_entropy", "conditional_min_entropy"],
    "min_entropy_leakage",
    "posterior_loo",
    "own_record",
]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_every_kind_of_frame_gives_the_same(frame):
    found = assess(frame, ["age"], ["ill"])
    assert list(found.columns) == COLUMNS
    assert found["n_blocks"].tolist() == [3, 3]
    assert found["n_certain"].tolist() == [1, 3]
    assert found["n_modal"].tolist() == [3, 4]
    assert found["largest_success"].tolist() == [1, 1]
    assert found["n_largest"].tolist() == [1, 3]


def test_the_frame_is_not_changed():
    frame = FRAMES["pandas"].copy()
    assess(frame, ["age"], ["ill"])
    pd.testing.assert_frame_equal(frame, FRAMES["pandas"])


def test_rows_are_by_attack_then_size_then_order_of_qids():
    frame = pd.DataFrame(np.arange(12).reshape(3, 4), columns=list("bacs"))
    found = assess(frame, ["b", "a", "c"], ["s"])
    crs = found[found["sensitive"] == ""]
    assert crs["qids"].tolist() == ["b", "a", "c", "b|a", "b|c", "a|c", "b|a|c"]
    assert found["sensitive"].tolist() == [""] * 7 + ["s"] * 7


def test_sizes_choose_the_subsets():
    frame = pd.DataFrame(np.arange(12).reshape(3, 4), columns=list("abcd"))
    assert len(assess(frame, list("abcd"), subsets={"sizes": [1, 4]})) == 5
    assert len(assess(frame, list("abcd"), subsets="full")) == 1


@given(tables(max_qids=3, max_sensitive=1))
def test_counts_are_those_of_the_plain_definition(table):
    qids, sensitive = table
    names = [f"q{i}" for i in range(len(qids))]
    frame = pa.table(
        dict(zip(names, qids, strict=True)) | {"s": (sensitive or qids)[0]}
    )
    found = assess(frame, names, ["s"], subsets="full").set_index("sensitive")
    rows = records(qids, (1 << len(qids)) - 1)
    blocks = naive.blocks(rows)
    assert found.loc["", "n_blocks"] == len(blocks)
    assert found.loc["s", "posterior_prob"] == float(
        naive.posterior_prob_inference(rows, (sensitive or qids)[0])
    )


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((["agee"], ["ill"]), TableError, "no column agee. Did you mean age"),
        ((["age"], ["age"]), StudyError, "age is both a QID and sensitive"),
        ((["age", "age"], []), StudyError, "age is named twice"),
        (("age",), StudyError, "qids and sensitive are lists of names"),
        ((["age"], "ill"), StudyError, "sensitive is a list of names"),
        (([], ["ill"]), StudyError, "at least one QID"),
        (([0], []), StudyError, "names in qids and sensitive are text"),
        ((["a|b"], []), StudyError, r"text without a \|"),
        ((["age"], [], "al"), StudyError, 'subsets is "all", "full"'),
        ((["age"], [], {"sizes": []}), StudyError, "sizes from 1 on"),
        ((["age"], [], {"sizes": [0]}), StudyError, "sizes from 1 on"),
        ((["age"], [], {"size": [1]}), StudyError, "sizes from 1 on"),
        ((["age"], [], "all", 0), StudyError, "n_threads is 0"),
        ((["age"], [], {"sizes": [2]}), StudyError, "only 1"),
    ],
)
def test_wrong_names_are_refused_in_words(arguments, error, words):
    with pytest.raises(error, match=words):
        assess(FRAMES["pandas"], *arguments)


DAY, HOUR = date(2020, 1, 1), datetime(2020, 1, 1, 5)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([DAY, HOUR.replace(tzinfo=UTC)], "dates and datetimes with a time zone, wh"),
        ([DAY, 20200101], "dates and numbers, which"),
        ([HOUR, HOUR.replace(tzinfo=UTC)], "datetimes with a time zone and dat"),
        ([time(1), time(1, tzinfo=UTC)], "times with a time zone and times without"),
        ([time(1, tzinfo=UTC)], "times with a time zone, which cannot"),
        (["a", b"a"], "bytes and text"),
        ([1, True], "numbers and truth values"),
        ([(1, 2), (1, 2)], "objects of type tuple"),
        ([np.datetime64(1, "s"), np.datetime64(1, "ns")], "objects of type datetime64"),
    ],
)
def test_objects_that_are_never_equal_are_refused(values, words):
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    with pytest.raises(TableError, match=f"Column x has {words}"):
        assess(frame, ["x"])


@pytest.mark.parametrize(
    ("values", "n_blocks"),
    [
        ([pd.Timestamp(1), pd.Timestamp(2), pd.NaT], 3),
        ([pd.Timedelta(1), pd.Timedelta(2), None], 3),
        ([pd.NaT, None, float("nan"), pd.NA, HOUR], 2),
        ([1, 1.0, 1.5], 2),
        ([Decimal("1.0"), Decimal("1.00"), 1], 1),
        ([time(1), time(1, microsecond=1)], 2),
        ([DAY, DAY, None], 2),
        ([DAY, HOUR, datetime(2020, 1, 1)], 2),
        ([2**70, 1, 2.0**70], 2),
        ([-(2**63), 2**63, None], 3),
        ([2**53 + 1, 0.5, Decimal("0.50")], 2),
        ([np.float32(0.1), 0.1, Decimal("0.1")], 1),
    ],
)
def test_objects_of_one_kind_are_equal_if_their_values_are(values, n_blocks):
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert assess(frame, ["x"])["n_blocks"].tolist() == [n_blocks]


def test_objects_of_polars_are_not_compared_by_where_they_are_in_memory():
    same = [Decimal("1"), Decimal("1")]
    frame = pl.DataFrame({"x": pl.Series(same, dtype=pl.Object)})
    assert assess(frame, ["x"])["n_blocks"].tolist() == [1]
    frame = pl.DataFrame({"x": pl.Series([object()] * 2, dtype=pl.Object)})
    with pytest.raises(TableError, match="Column x has objects of type object"):
        assess(frame, ["x"])


@pytest.mark.parametrize(
    "values",
    [["a", "\ud800"], [1j, 2j], [2**53 + 1, 1e300], [Decimal("1"), float("inf")]],
    ids=["lone surrogate", "complex", "no float", "no decimal"],
)
def test_what_arrow_cannot_hold_is_refused_in_one_line(values):
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    with pytest.raises(TableError, match=r"Column x has .*Convert it to") as error:
        assess(frame, ["x"])
    assert "\n" not in str(error.value)


def test_the_index_of_a_pandas_frame_does_not_matter():
    frame = FRAMES["pandas"].set_axis(["a", 1, 2.5, None, "b"])
    assert assess(frame, ["age"])["n_blocks"].tolist() == [3]


@pytest.mark.parametrize("n_values", [128, 200])
def test_categories_with_narrow_codes_are_values_as_any_other(n_values):
    codes = pa.array(list(range(128)) * 2, pa.int8())
    names = pa.array([str(i % n_values) for i in range(128)])
    frame = pa.table({"age": pa.DictionaryArray.from_arrays(codes, names)})
    assert assess(frame, ["age"])["n_blocks"].tolist() == [128]


def coded(indices, values):
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, pa.int8()), pa.array(values)
    )


HERE = HOUR.replace(tzinfo=UTC)
THERE = HERE.astimezone(timezone(timedelta(hours=3)))
COLUMNS_ALIKE = {
    "null, NaN and a zero with a sign": ([0.0, -0.0, float("nan"), None], 2),
    "zeros, capitals and blanks": (["1", "01", "a", "A", "a "], 5),
    "an instant in two time zones": (
        pd.Series([HERE, THERE, HOUR.replace(tzinfo=THERE.tzinfo)], dtype=object),
        2,
    ),
    "sparse": (pd.arrays.SparseArray([0, 0, 1]), 2),
    "half precision": (np.array([1, 1, 2], dtype=np.float16), 2),
    "views of bytes": (pa.array([b"a", b"b", b"a", None], pa.binary_view()), 3),
    "dictionaries in chunks": (
        pa.chunked_array([coded([0, None], ["a"]), coded([0, 1], ["b", None])]),
        3,
    ),
    "a value twice": (coded([0, 1, None, 2, 3], ["a", None, "a", "b"]), 3),
    "NaN in a dictionary": (coded([0, 1, None], [1.0, float("nan")]), 2),
}


@pytest.mark.parametrize(("column", "n"), COLUMNS_ALIKE.values(), ids=COLUMNS_ALIKE)
def test_values_of_any_column_are_equal_as_they_are_in_it(column, n):
    is_arrow = isinstance(column, pa.Array | pa.ChunkedArray)
    frame = pa.table({"x": column}) if is_arrow else pd.DataFrame({"x": column})
    assert assess(frame, ["x"])["n_blocks"].tolist() == [n]


REFUSED = {
    "Column x has values of type list": pa.table({"x": [["secret"], ["secret"]]}),
    "Column x has values of type dictionary<": pa.table(
        {"x": coded([0, 1], [["secret"], ["x"]])}
    ),
    "x has numbers and text, which ca": pd.DataFrame({"x": [1, "secret"]}),
    "Column x has dates and text": pd.DataFrame(
        {"x": pd.Categorical([DAY, "2020-01-01"])}
    ),
    "Column x has .* complex numbers": pd.DataFrame({"x": [1j, 2j]}),
    "more than 76 digits": pd.DataFrame({"x": [10**77, 1]}, dtype=object),
    "no records": pd.DataFrame({"x": []}),
    "takes a pandas or Polars frame": "people.csv",
    r"Give it frame\.collect\(\)": pl.LazyFrame({"x": [1]}),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_no_frame_of_equal_values_is_refused_without_these(words):
    with pytest.raises(TableError, match=words) as error:
        assess(REFUSED[words], ["x"])
    assert "secret" not in str(error.value)


def test_a_record_batch_is_a_frame():
    assert assess(pa.record_batch({"x": [1, 2]}), ["x"])["n_blocks"].tolist() == [2]
