"""All types of values against all: the same thing is equal, whatever holds it."""

import datetime as dt
import re
import warnings
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.base.errors import TableError
from microleak.base.same_values import TEXT, kind_of, value_texts
from microleak.records.call import meeting_people, people_of
from tests.examples import long, thinned

INTEGERS = [25, -3, 12345678901]
DAYS = [dt.date(2020, 1, 2), dt.date(1899, 3, 1), dt.date(2024, 2, 29)]
MIDNIGHTS = [dt.datetime(day.year, day.month, day.day) for day in DAYS]
HOURS = [
    dt.datetime(2020, 1, 2),
    dt.datetime(2020, 1, 2, 12, 30),
    dt.datetime(1901, 5, 6, 7, 8, 9),
]
TRUTH = [True, False]
FRACTIONS = [0.5, 0.1, -12.25, 3.0]
TIMES = [dt.time(12, 30), dt.time(0), dt.time(23, 59, 59)]
SPANS = [dt.timedelta(seconds=90), dt.timedelta(days=-1), dt.timedelta(0)]
TEXTS = ["025", "25.0", "São", ""]


def zoned(zone):
    return [hour.replace(tzinfo=dt.UTC).astimezone(zone) for hour in HOURS]


def of_pandas(values, dtype=object):
    return pd.DataFrame({"x": pd.Series(values, dtype=dtype)})


def of_polars(values, dtype=None):
    return pl.DataFrame({"x": pl.Series(values, dtype=dtype, strict=False)})


def of_arrow(values, *types):
    column = pa.array(values)
    for kind in types:
        column = column.dictionary_encode() if kind is CODES else column.cast(kind)
    return pa.table({"x": column})


def units(values, zone=None):
    for unit in ("s", "ms", "us", "ns"):
        yield of_arrow(values, pa.timestamp("us", zone), pa.timestamp(unit, zone))
        yield of_pandas(pd.to_datetime(values).as_unit(unit), None)
        if unit != "s":
            yield of_polars(values).with_columns(pl.col("x").dt.cast_time_unit(unit))


CODES = "codes"
"""Instead of a type: as a dictionary."""

HALF = dt.timezone(dt.timedelta(hours=5, minutes=30))
EAST, WEST = dt.timezone(dt.timedelta(hours=9)), dt.timezone(dt.timedelta(hours=-3))

HELD = {
    "integers": [
        of_pandas(INTEGERS, "int64"),
        of_pandas(INTEGERS, "Int64"),
        of_pandas(INTEGERS, "float64"),
        of_pandas([*INTEGERS, None], "float64").dropna(),
        of_pandas(INTEGERS),
        of_pandas([25, -3.0, Decimal("12345678901.00")]),
        of_pandas([np.int8(25), np.float32(-3), 12345678901]),
        of_pandas([Decimal("25"), Decimal("-3.000"), Decimal("12345678901.0")]),
        of_pandas(list(map(str, INTEGERS)), "str"),
        of_pandas(INTEGERS, "category"),
        of_pandas([*map(float, INTEGERS)], "category"),
        of_pandas(INTEGERS, "int64[pyarrow]"),
        of_polars(INTEGERS),
        of_polars(INTEGERS, pl.Int128),
        of_polars(INTEGERS, pl.Float64),
        of_polars(INTEGERS, pl.Decimal(30, 4)),
        of_polars(list(map(str, INTEGERS)), pl.Categorical),
        of_polars([*map(str, INTEGERS)], pl.Enum([*map(str, INTEGERS)])),
        of_arrow(INTEGERS, pa.decimal128(38, 7)),
        of_arrow(INTEGERS, pa.decimal256(60, 30)),
        of_arrow(list(map(str, INTEGERS)), pa.large_string()),
        of_arrow(list(map(str, INTEGERS)), pa.string_view()),
        of_arrow(INTEGERS, CODES),
        of_arrow([str(n).encode() for n in INTEGERS]),
    ],
    "days": [
        of_pandas(DAYS),
        of_pandas(MIDNIGHTS),
        of_pandas([MIDNIGHTS[0], DAYS[1], pd.Timestamp(DAYS[2])]),
        of_pandas(MIDNIGHTS, "datetime64[s]").astype("category"),
        of_pandas([str(day) for day in DAYS], "str"),
        of_pandas([f"{day}T00:00:00.000" for day in DAYS], "str"),
        of_pandas(list(map(str, MIDNIGHTS)), "category"),
        of_polars(DAYS),
        of_polars([str(day) for day in DAYS], pl.Categorical),
        of_arrow(DAYS),
        of_arrow(DAYS, pa.date64()),
        of_arrow(DAYS, CODES),
        of_arrow(MIDNIGHTS, CODES),
        *units(MIDNIGHTS),
    ],
    "hours": [
        of_pandas(HOURS),
        of_pandas([hour.isoformat() for hour in HOURS], "str"),
        of_pandas([str(hour) for hour in HOURS], "str"),
        *units(HOURS),
    ],
    "instants": [
        of_pandas(zoned(dt.UTC)),
        of_pandas([zoned(EAST)[0], zoned(WEST)[1], zoned(dt.UTC)[2]]),
        of_pandas(pd.to_datetime(HOURS).tz_localize("UTC").tz_convert("Asia/Tokyo")),
        of_pandas([f"{hour.isoformat()}Z" for hour in HOURS], "str"),
        of_pandas([hour.isoformat() for hour in zoned(WEST)], "str"),
        of_pandas([hour.isoformat(" ") for hour in zoned(dt.UTC)], "category"),
        of_polars([f"{hour:%Y-%m-%dT%H:%M:%S.000%z}" for hour in zoned(EAST)]),
        of_arrow([zoned(z)[n].isoformat() for n, z in enumerate((EAST, HALF, WEST))]),
        of_polars(HOURS).with_columns(pl.col("x").dt.replace_time_zone("UTC")),
        *(of_arrow(zoned(dt.UTC), pa.timestamp(u, "Asia/Tokyo")) for u in ("s", "ns")),
    ],
    "truth values": [
        of_pandas(TRUTH, bool),
        of_pandas(TRUTH, "boolean"),
        of_pandas(TRUTH),
        of_pandas(list(map(np.bool_, TRUTH))),
        of_pandas(TRUTH, "category"),
        of_pandas(["True", "False"], "str"),
        of_pandas(["TRUE", "FALSE"], "category"),
        of_polars(TRUTH),
        of_arrow(["true", "false"], pa.large_string()),
    ],
    "fractions": [
        of_pandas(FRACTIONS, "float64"),
        of_pandas(FRACTIONS, "float32"),
        of_pandas(FRACTIONS, "float16"),
        of_pandas([np.float32(0.5), 0.1, Decimal("-12.250"), 3]),
        of_pandas(["0.5", "0.1", "-12.25", "3"], "str"),
        of_pandas(FRACTIONS, "category"),
        of_polars(FRACTIONS, pl.Float32),
        of_polars([Decimal(str(n)) for n in FRACTIONS], pl.Decimal(20, 8)),
        of_arrow([Decimal(str(n)) for n in FRACTIONS], pa.decimal256(50, 10)),
        of_arrow(np.array(FRACTIONS, np.float16)),
    ],
    "times": [
        of_pandas(TIMES),
        of_polars(TIMES),
        of_arrow(TIMES, pa.time32("s")),
        of_arrow(TIMES, pa.time32("ms")),
        of_arrow(TIMES, pa.time64("ns")),
        of_arrow([str(time) for time in TIMES]),
    ],
    "durations": [
        of_pandas(SPANS),
        of_pandas(SPANS, "timedelta64[s]"),
        of_pandas(SPANS, "timedelta64[ns]"),
        of_polars(SPANS),
        of_arrow(SPANS, pa.duration("ms")),
    ],
    "text": [
        of_pandas(TEXTS, "str"),
        of_pandas(TEXTS),
        of_pandas(TEXTS, "category"),
        of_polars(TEXTS),
        of_polars(TEXTS, pl.Categorical),
        of_arrow(TEXTS, pa.string_view()),
        of_arrow(TEXTS, pa.large_string(), CODES),
        of_arrow([text.encode() for text in TEXTS]),
    ],
}


def alike(*frames, name="x"):
    """The columns of frames as they meet."""
    named = {f"frame {n}": people_of("see", f, [name]) for n, f in enumerate(frames)}
    found = meeting_people("see", named, [name])
    return [each.table[name].cast(pa.string()).to_pylist() for each in found]


def is_text(frame):
    return kind_of(people_of("see", frame, ["x"]).types["x"]) == TEXT


@pytest.fixture(autouse=True)
def _nothing_is_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.mark.parametrize("kind", HELD)
def test_the_same_values_are_equal_whatever_holds_them(kind):
    for frame, other in product(HELD[kind], repeat=2):
        if kind != "text" and is_text(frame) and is_text(other):
            continue  # Texts are themselves, also such as two ways to write a date.
        one, another = alike(frame, other)
        assert one == another
        assert len({*one}) == len(one)


@pytest.mark.parametrize(
    ("kind", "other"), [(a, b) for a, b in product(HELD, repeat=2) if a != b]
)
def test_values_of_two_kinds_are_refused_by_the_names_of_both_or_differ(kind, other):
    are_days = {kind, other} <= {"days", "hours"}
    for frame, another in product(HELD[kind][:6], HELD[other][:6]):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = alike(frame, another)
        except TableError as error:
            assert not are_days
            said = str(error)
            assert "x of frame 0 has " in said
            assert "x of frame 1 has " in said
            continue
        shared = {*found[0]} & {*found[1]}
        assert shared <= ({"2020-01-02"} if are_days else {"25", "3"})


TYPED = {
    "numbers": of_pandas([25, 60]),
    "fractions": of_pandas([0.5, 60]),
    "truth values": of_pandas(TRUTH),
    "dates or datetimes without a time zone": of_pandas(DAYS),
    "datetimes with a time zone": of_pandas(zoned(dt.UTC)),
    "times": of_pandas(TIMES),
    "durations": of_pandas(SPANS),
    "free text": of_pandas(["soon", "later"]),
}


@pytest.mark.parametrize(("one", "other"), product(TYPED, repeat=2))
def test_what_cannot_be_compared_is_refused(one, other):
    if one == other:
        alike(TYPED[one], TYPED[other])
        return
    with pytest.raises(TableError, match="so that they cannot be compared") as error:
        alike(TYPED[one], TYPED[other])
    for kind in {one, other} - {"fractions", "numbers", "free text"}:
        assert kind in str(error.value)
    assert re.search("see: x of frame [01] has", str(error.value))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (of_pandas([0.5, 25]), of_pandas([25, 60])),
        (of_pandas([0.5, 25]), of_pandas(["25", "60"])),
        (of_pandas(["0.5", "25"]), of_polars([25, 60])),
        (of_pandas([25, 60]), of_pandas([Decimal("25.10"), None])),
        (of_pandas([0.5], "float32"), of_arrow([Decimal("25"), Decimal("60")])),
    ],
)
def test_fractions_are_no_codes(one, other):
    for pair in ((one, other), (other, one)):
        with pytest.raises(TableError, match="has numbers with a fraction, but x of"):
            alike(*pair)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (of_pandas(["025", "007"]), of_pandas([25, 7])),
        (of_pandas(["25.0", "7.00"]), of_pandas([25, 7])),
        (of_pandas(["1e1"]), of_pandas([10.0])),
        (of_pandas(["025"]), of_pandas(["25"])),
        (of_pandas(["True"]), of_pandas(["true"])),
        (of_pandas([0.1], "float64"), of_pandas([np.nextafter(0.1, 1)])),
        (of_pandas([2**53]), of_pandas([2**53 + 1])),
        (of_pandas([2.0**70]), of_pandas([2**70 + 1])),
        (of_pandas(DAYS[:1]), of_pandas(HOURS[1:])),
        (
            of_pandas(HOURS[:1]),
            of_arrow(pa.array([1577923200000001], pa.timestamp("us"))),
        ),
    ],
)
def test_values_that_differ_differ_and_that_nearly_none_meet_is_told(one, other):
    with pytest.warns(RuntimeWarning, match="hardly any values in common"):
        first, second = alike(one, other)
    assert not {*first} & {*second}


def test_missing_values_meet_whatever_their_column_is():
    for frame in (of_pandas([None, None]), of_arrow([None]), of_polars([None])):
        for kind in HELD:
            alike(HELD[kind][0], frame)


def test_text_beside_truth_values_is_itself_but_for_these():
    one = of_pandas([True, False, True])
    texts = of_pandas(["True", "Unknown", "unknown"], "str")
    for pair in ((one, texts), (texts, one)):
        found = sorted(alike(*pair), key=lambda each: len({*each}))
        assert found == [["true", "false", "true"], ["true", "Unknown", "unknown"]]


def test_text_with_an_offset_is_its_instant_beside_instants(written, text):
    told = of_pandas([written, "2020-01-02T12:30:00Z"], "str")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = alike(told, of_pandas(zoned(dt.UTC)))[0]
    assert found == [text, "2020-01-02 12:30:00Z"]
    assert alike(told, told)[0][0] == written  # Beside text it is itself.


@given(st.integers(-(2**64), 2**64), st.integers(0, 12))
def test_an_integer_is_the_decimal_of_any_scale(number, scale):
    whole = Decimal(number) * (Decimal(1) + Decimal(0).scaleb(-scale))
    assert value_texts(pa.array([whole])).to_pylist() == [str(number)]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_has_all_its_digits_and_no_exponent(number):
    (text,) = value_texts(pa.array([number])).to_pylist()
    assert float(text) == number
    assert "e" not in text
    if number.is_integer():
        assert text == str(int(number))
    else:
        assert Decimal(text) == Decimal(repr(number))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_of_32_bits_has_its_own_fewest_digits(number):
    narrow = np.float32(number)
    (text,) = value_texts(pa.array([number], pa.float32())).to_pylist()
    assert np.float32(text) == narrow
    if narrow % 1:
        assert Decimal(text) == Decimal(str(narrow))


@given(st.datetimes(dt.datetime(1, 1, 1)))
def test_a_datetime_is_written_alike_in_all_units_that_have_it(moment):
    written = moment.isoformat(" ").rstrip("0") if moment.microsecond else str(moment)
    expected = written.removesuffix(" 00:00:00")
    assert value_texts(pa.array([moment])).to_pylist() == [expected]
    for unit in ("s", "ms"):
        cut = pa.array([moment]).cast(pa.timestamp(unit), safe=False)
        again = cut.cast(pa.timestamp("us"))
        assert value_texts(cut).equals(value_texts(again))


def beside(frame, **columns):
    if isinstance(frame, pd.DataFrame):
        return frame.reset_index(drop=True).assign(**columns)
    if isinstance(frame, pl.DataFrame):
        return frame.with_columns(**{n: pl.Series(c) for n, c in columns.items()})
    for name, column in columns.items():
        frame = frame.append_column(name, pa.array(column))
    return frame


@pytest.mark.parametrize("kind", thinned(HELD))
def test_public_functions_find_the_same_persons_whatever_holds_them(kind):
    first, *others = HELD[kind]
    n = len(first)
    first = beside(first, ill=[*"abcd"][:n])
    for each in (others[0], others[-1]):
        other = beside(each, ill=[*"abcd"][:n])
        asked = microleak.membership(first, other, ["x"]).to_pandas()
        assert asked[["n_not_found", "n_unique_both"]].values.tolist() == [[0, n]]
        mapped = microleak.anonymity(other, ["x"], population=first).to_pandas()
        assert mapped["k_map"].tolist() == [1]
        linked = microleak.panel(first, {"then": other}, "x", ["ill"]).to_pandas()
        assert linked["n_certain"].tolist() == [n, n]
        found = microleak.linkage(first, other, ["x"], stable=["x"], person_id="x")
        assert found.to_pandas()["n_right"].tolist() == [n]
        left = microleak.intersection(first, {"then": other}, ["x"], ["ill"])
        assert left.to_pandas()["n_possible"].tolist() == [n, n]


@pytest.mark.parametrize("function", ["membership", "k_map", "panel", "linkage"])
def test_public_functions_refuse_what_cannot_be_compared(function):
    first, other = of_pandas(DAYS), of_pandas([1, 2, 3])
    first, other = (beside(each, ill=["a", "b", "c"]) for each in (first, other))
    call = {
        "membership": lambda: microleak.membership(first, other, ["x"]),
        "k_map": lambda: microleak.anonymity(other, ["x"], population=first),
        "panel": lambda: microleak.panel(first, {"then": other}, "x", ["ill"]),
        "linkage": lambda: microleak.linkage(first, other, ["x"], stable=["x"]),
    }[function]
    with pytest.raises(TableError, match=r"x of the .* has .*, but x of the .* has "):
        call()


@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("is_whole", [False, *long(True)])
def test_a_value_that_is_known_is_found_whatever_holds_it(kind, is_whole):
    values = {
        "integers": (25, 25.0, Decimal("25.00"), "25", np.int8(25)),
        "days": (DAYS[0], MIDNIGHTS[0], "2020-01-02", pd.Timestamp(DAYS[0])),
        "hours": (HOURS[1], str(HOURS[1]), np.datetime64(HOURS[1], "s")),
        "instants": (zoned(WEST)[1], pd.Timestamp(zoned(EAST)[1])),
        "truth values": (True, "true", np.bool_(True)),
        "fractions": (0.1, Decimal("0.10"), "0.1", np.float32(0.1), np.float64(0.1)),
        "times": (TIMES[0], "12:30:00"),
        "durations": (SPANS[0], pd.Timedelta(seconds=90), np.timedelta64(90, "s")),
        "text": ("025", b"025"),
    }[kind]
    expected = people_of("see", HELD[kind][0], ["x"]).table["x"].to_pylist()
    first, *others = HELD[kind]
    some = [*product([first], values), *product(others, values[:1])]
    for frame, value in product(HELD[kind], values) if is_whole else some:
        texts = people_of("see", frame, ["x"]).table["x"].to_pylist()
        found = microleak.target(frame, {"x": value}).target["block_size"][0]
        assert found == 1 or not {*expected} & {*texts}


@pytest.mark.parametrize(
    ("frame", "value"),
    [
        (of_pandas([25, 60], "int64"), "025"),
        (of_pandas([25, 60], "int64"), True),
        (of_pandas([25, 60], "int64"), 25.5),
        (of_pandas([25, 60], "float64"), "twenty"),
        (of_pandas(TRUTH), 1),
        (of_pandas(TRUTH), "1"),
        (of_pandas(DAYS), 20200102),
        (of_pandas(DAYS), zoned(dt.UTC)[0]),
        (of_pandas(zoned(dt.UTC)), HOURS[0]),
        (of_pandas(TIMES), SPANS[0]),
    ],
)
def test_a_known_value_of_another_kind_is_refused_and_not_shown(frame, value):
    with pytest.raises(TableError, match="not one that the column can") as error:
        microleak.target(frame, {"x": value})
    assert str(value) not in str(error.value).replace("bool", "")


RANGES = ["20-29", "-10--1", "12345678900-12345678909"]


@pytest.mark.parametrize(
    ("kind", "levels", "wanted"),
    [
        ("days", {"date": "%Y-%m-%d"}, ["2020-01", "1899-03", "2024-02"]),
        ("integers", {"widths": [10]}, RANGES),
    ],
)
def test_values_have_a_hierarchy_whatever_holds_them(kind, levels, wanted):
    steps = [{"generalise": {"x": 1}}]
    for frame in HELD[kind]:
        shown = f"{frame!r} {people_of('see', frame, ['x']).table}"
        if "view" in shown or "T00" in shown or "00:00:00" in shown:
            continue  # Text is itself.
        found = microleak.protect(frame, steps, hierarchies={"x": levels}).records["x"]
        labels = found.to_list() if hasattr(found, "to_list") else found.to_pylist()
        assert labels == wanted
