"""assess takes any frame, counts a missing value as one, and proposes sets."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.attacks.collective import frames
from microleak.attacks.collective.frames import (
    N_PROPOSED,
    ProposedColumn,
    attributes_of,
    tried,
)
from microleak.base.errors import StudyError, TableError
from tests import naive
from tests.assessing import assess
from tests.examples import examples
from tests.property.tables import records, tables

AGE = [25, 25, None, None, 60]
ILL = ["y", "n", "y", "y", None]
HALVES = [slice(0, 2), slice(2, 5)]
FRAMES = {
    "pandas": pd.DataFrame({"age": AGE, "ill": ILL}),
    "pandas objects": pd.DataFrame({"age": AGE, "ill": ILL}, dtype=object),
    "pandas categories": pd.DataFrame({"age": AGE, "ill": ILL}, dtype="category"),
    "pandas with an index": pd.DataFrame(
        {"age": AGE, "ill": ILL}, index=["a", 1, 2.5, None, "b"]
    ),
    "polars": pl.DataFrame({"age": AGE, "ill": ILL}),
    "arrow": pa.table({"age": AGE, "ill": ILL}),
    "record batch": pa.record_batch({"age": AGE, "ill": ILL}),
    "arrow in chunks": pa.concat_tables(
        [pa.table({"age": AGE[rows], "ill": ILL[rows]}) for rows in HALVES]
    ),
}
COLUMNS = [
    *["qids", "n_qids", "sensitive", "n_records", "n_blocks", "n_certain", "n_modal"],
    *["prior_det", "posterior_det", "degradation_det"],
    *["prior_prob", "posterior_prob", "degradation_prob", "additive_leakage"],
    *["largest_success", "n_largest", "min_entropy", "conditional_min_entropy"],
    *["min_entropy_leakage", "posterior_loo"],
    *["own_record", "n_rarer", "n_certain_rarer"],
]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_every_kind_of_frame_gives_the_same(frame):
    found = assess(frame, ["age"], ["ill"])
    assert list(found.columns) == COLUMNS
    counts = ["n_blocks", "n_certain", "n_modal", "largest_success", "n_largest"]
    assert found[counts].to_numpy().tolist() == [[3, 1, 3, 1, 1], [3, 3, 4, 1, 3]]


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


@examples(50)
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
        ((["age"], [], "al"), StudyError, "subsets is 'al', not as it should"),
        ((["age"], [], {"sizes": []}), StudyError, "sizes is a list, empty"),
        ((["age"], [], {"sizes": [0]}), StudyError, "sizes is 0, below 1"),
        ((["age"], [], {"size": [1]}), StudyError, "did you mean 'sizes'"),
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


LETTERS = st.sampled_from([None, "a", "b", "c", "d"])
TABLES = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.tuples(*[LETTERS] * n), min_size=1, max_size=12)
)


def all_tried(rows):
    """The best sets of each size, by trying and counting all of them."""
    columns = {f"c{i}": values for i, values in enumerate(zip(*rows, strict=True))}
    n_records = len(rows)
    names = [n for n, v in columns.items() if 1 < len({*v}) < n_records]
    found = []
    for size in (1, 2, 3):
        counted = []
        for chosen in combinations(names, size):
            blocks = Counter(zip(*(columns[name] for name in chosen), strict=True))
            n_alone = sum(n == 1 for n in blocks.values())
            counted.append(("|".join(chosen), n_alone, len(blocks)))
        counted.sort(key=lambda each: (-each[1], -each[2]))
        found += counted[:N_PROPOSED]
    return found


@examples(50)
@given(TABLES)
def test_the_sets_proposed_are_those_found_by_trying_all(rows):
    names = [f"c{i}" for i in range(len(rows[0]))]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    expected = all_tried(rows)
    if not expected:
        with pytest.raises(StudyError, match="no set to propose"):
            microleak.assess(frame)
        return
    found = microleak.assess(frame).proposed
    columns = ["qids", "n_certain", "n_blocks"]
    assert list(found[columns].itertuples(index=False, name=None)) == expected


def test_of_a_sensitive_attribute_the_sets_are_those_that_tell_most():
    frame = pd.DataFrame(
        {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [1, 1, 1, 2], "ill": list("yynn")}
    )
    found = microleak.assess(frame, sensitive=["ill"], subsets={"sizes": [1]})
    told = found.proposed[found.proposed["sensitive"] == "ill"]
    assert told["qids"].tolist() == ["a", "c", "b"]
    assert told["n_certain"].tolist() == [4, 1, 0]


def test_what_is_left_out_is_said():
    frame = pa.table(
        {
            "id": [1, 2, 3, 4],
            "country": ["BR"] * 4,
            "nobody": pa.nulls(4),
            "age": [25, 25, None, 60],
            "list": [[1], [1], [2], [2]],
            "ill": ["y", "n", "y", "y"],
        }
    )
    found = microleak.assess(frame, sensitive=["ill"]).attributes
    assert dict(zip(found["attribute"], found["role"], strict=True)) == {
        **{"id": "identifier", "country": "constant", "nobody": "constant"},
        **{"age": "qid", "list": "no equality"},
    }
    age = found.set_index("attribute").loc["age"]
    assert (age["n_distinct"], age["n_alone"]) == (3, 2)


@pytest.mark.parametrize(
    ("frame", "error", "words"),
    [
        ({"id": [1, 2]}, StudyError, "every column is constant or has a value of its"),
        ({"id": [1, 1]}, StudyError, "Give the columns to look at, qids"),
        ({"id": []}, TableError, "the frame has no records"),
        ({"x": [[1], [2]]}, TableError, "Column x has values of type list"),
    ],
)
def test_a_frame_without_a_set_to_propose_is_refused(frame, error, words):
    with pytest.raises(error, match=words):
        microleak.assess(pa.table(frame))


def test_columns_are_named_and_each_once_before_they_are_looked_at():
    with pytest.raises(StudyError, match="names in columns are text"):
        microleak.assess(pd.DataFrame([[1, 2], [1, 3]]))
    twice = pd.DataFrame([[1, 2], [1, 3]], columns=["a", "a"])
    with pytest.raises(StudyError, match="a is named twice among columns"):
        microleak.assess(twice)
    with pytest.raises(StudyError, match="Give qids, or sizes of sets"):
        microleak.assess(twice, subsets="full")


def test_of_many_columns_those_with_most_records_alone_are_tried(monkeypatch):
    monkeypatch.setattr(frames, "MOST_SETS", 7)  # of three columns
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "two": rng.integers(0, 2, 40),
            "many": rng.integers(0, 60, 40),
            "more": rng.integers(0, 90, 40),
            "ten": rng.integers(0, 10, 40),
        }
    )
    found = microleak.assess(frame)
    roles = found.attributes.set_index("attribute")["role"]
    assert roles.to_dict() == {
        **{"two": "not tried", "many": "qid", "more": "qid", "ten": "qid"}
    }
    assert set(found.collective["qids"]) == {
        *("many", "more", "ten", "many|more", "many|ten", "more|ten", "many|more|ten")
    }


@pytest.mark.parametrize(
    ("n_records", "n_columns"), [(10, 49), (100_000, 39), (1_000_000, 18)]
)
def test_columns_are_as_many_as_their_sets_can_be_counted(n_records, n_columns):
    many = [ProposedColumn(f"c{i}", n_records, 5, 3) for i in range(60)]
    assert tried(many, (1, 2, 3)) == tuple(f"c{i}" for i in range(n_columns))


def test_dates_are_tried_however_few_share_one():
    """Days of birth of 400 people; eight digits that are no date are a number."""
    day = pd.date_range("1950-01-01", periods=400, freq="53D")
    people = pd.DataFrame(
        {
            "born": day.strftime("%d/%m/%Y"),
            "since": day.strftime("%Y%m%d"),
            "number": [f"20{n:06}" for n in range(400)],
            "sex": ["f", "m"] * 200,
        }
    )
    table = pa.Table.from_pandas(people, preserve_index=False)
    assert {each.name: each.role for each in attributes_of(table, 1)} == {
        **{"born": "qid", "since": "qid"},
        **{"number": "identifier", "sex": "qid"},
    }
