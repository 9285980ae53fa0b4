"""assess takes any frame, leaves it alone, and counts a missing value as one."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

from microleak import assess
from microleak.errors import StudyError, TableError
from tests import naive
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
]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_every_kind_of_frame_gives_the_same(frame):
    found = assess(frame, ["age"], ["ill"])
    assert list(found.columns) == COLUMNS
    assert found["n_blocks"].tolist() == [3, 3]
    assert found["n_certain"].tolist() == [1, 3]
    assert found["n_modal"].tolist() == [3, 4]


def test_the_frame_is_not_changed():
    frame = FRAMES["pandas"].copy()
    assess(frame, ["age"], ["ill"])
    pd.testing.assert_frame_equal(frame, FRAMES["pandas"])


def test_null_and_nan_are_one_missing_value_and_zero_has_no_sign():
    column = pa.array([0.0, -0.0, float("nan"), None, float("nan")])
    found = assess(pa.table({"x": column}), ["x"])
    assert found["n_blocks"].tolist() == [2]


def test_leading_zeros_and_case_and_blanks_tell_values_apart():
    found = assess(pd.DataFrame({"x": ["1", "01", "a", "A", "a "]}), ["x"])
    assert found["n_certain"].tolist() == [5]


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
        ((["agee"], ["ill"]), TableError, "no column agee. It has: age, ill"),
        ((["age"], ["age"]), StudyError, "age is both a QID and sensitive"),
        ((["age", "age"], []), StudyError, "age is named twice"),
        (("age",), StudyError, "qids and sensitive are lists of names"),
        ((["age"], "ill"), StudyError, "qids and sensitive are lists of names"),
        (([], ["ill"]), StudyError, "at least one QID"),
        (([0], []), StudyError, "names in qids and sensitive are text"),
        ((["a|b"], []), StudyError, r"text without a \|"),
        ((["age"], [], "al"), StudyError, 'subsets is "all", "full"'),
        ((["age"], [], None), StudyError, 'subsets is "all", "full"'),
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


def test_a_frame_without_records_is_refused():
    with pytest.raises(TableError, match="no records"):
        assess(pd.DataFrame({"x": []}), ["x"])


def test_columns_without_equality_are_refused_without_their_values():
    with pytest.raises(TableError, match="Column x has values of type list") as error:
        assess(pa.table({"x": [[1], [2]]}), ["x"])
    assert "[1]" not in str(error.value)


def test_columns_of_mixed_types_are_refused_without_their_values():
    frame = pd.DataFrame({"x": [1, "secret"]})
    with pytest.raises(TableError, match="mixes types") as error:
        assess(frame, ["x"])
    assert "secret" not in str(error.value)


def test_a_dictionary_may_hold_a_value_twice_or_a_missing_one():
    indices = pa.array([0, 1, None, 2, 3], pa.int8())
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["a", None, "a", "b"]))
    found = assess(pa.table({"x": column}), ["x"])
    assert found["n_blocks"].tolist() == [3]  # a twice, missing twice, b


def test_nan_in_a_dictionary_is_the_missing_value():
    indices = pa.array([0, 1, None], pa.int8())
    values = pa.array([1.0, float("nan")])
    column = pa.DictionaryArray.from_arrays(indices, values)
    assert assess(pa.table({"x": column}), ["x"])["n_blocks"].tolist() == [2]


def test_the_index_of_a_pandas_frame_does_not_matter():
    frame = FRAMES["pandas"].set_axis(["a", 1, 2.5, None, "b"])
    assert assess(frame, ["age"])["n_blocks"].tolist() == [3]


def test_half_precision_numbers_are_numbers():
    frame = pd.DataFrame({"x": np.array([1, 1, 2], dtype=np.float16)})
    assert assess(frame, ["x"])["n_blocks"].tolist() == [2]


def test_integers_beyond_64_bits_are_refused_without_their_values():
    frame = pd.DataFrame({"x": [2**70, 1]}, dtype=object)
    with pytest.raises(TableError, match="more than 64 bits"):
        assess(frame, ["x"])


def test_a_path_is_no_frame():
    with pytest.raises(TableError, match="takes a pandas or Polars frame"):
        assess("people.csv", ["age"])


@pytest.mark.parametrize("n_values", [128, 200])
def test_categories_with_narrow_codes_are_values_as_any_other(n_values):
    codes = pa.array(list(range(128)) * 2, pa.int8())
    names = pa.array([str(i % n_values) for i in range(128)])
    frame = pa.table({"age": pa.DictionaryArray.from_arrays(codes, names)})
    assert assess(frame, ["age"])["n_blocks"].tolist() == [128]


def test_views_of_bytes_are_values_as_any_other():
    frame = pa.table({"age": pa.array([b"a", b"b", b"a", None], pa.binary_view())})
    assert assess(frame, ["age"])["n_blocks"].tolist() == [3]
