"""When two values are the same thing, whatever holds them.

Each value has one text, and two values are equal if their texts are:

- a number has its decimal digits, without an exponent and without zeros at the end of
  its fraction: 25, 25.0 and Decimal("25.00") are `25`. A float that is whole has all
  its digits, one with a fraction the fewest that no other float of its width has, so
  that 0.1 of 32 bits, of 64 bits and Decimal("0.1") are `0.1`;
- a truth value is `true` or `false`;
- a date, or a datetime without a time zone at midnight, is `2020-01-31`, any other one
  `2020-01-31 12:30:00.5`, and one with a time zone its instant in UTC,
  `2020-01-31 12:30:00.5Z`;
- a time is `12:30:00.5`, and a duration its seconds, `90.5 s`;
- text is itself, as are bytes that are text: "025", "25.0" and "25" are three values.

Where columns of two releases meet, all are of one kind, but some may be text of which a
part may be values of this kind; others are refused by their names (`meeting`).
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NUMBERS, TRUTH, TEXT, NOTHING = "numbers", "truth values", "text", "no values"
DAYS, INSTANTS = "dates or datetimes without a time zone", "datetimes with a time zone"
TIMES, DURATIONS = "times", "durations"
"""Kinds of values; of two kinds, none is equal."""

_KINDS: Mapping[Callable[[pa.DataType], bool], str] = {
    pa.types.is_integer: NUMBERS,
    pa.types.is_floating: NUMBERS,
    pa.types.is_decimal: NUMBERS,
    pa.types.is_boolean: TRUTH,
    pa.types.is_date: DAYS,
    pa.types.is_timestamp: DAYS,
    pa.types.is_time: TIMES,
    pa.types.is_duration: DURATIONS,
    pa.types.is_null: NOTHING,
}

_DAY, _CLOCK = (
    "[0-9]{4,}-[0-9]{2}-[0-9]{2}",
    "[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?",
)
_DAYTIME = f"{_DAY}[ T]{_CLOCK}"

WRITTEN: Mapping[str, str] = {
    NUMBERS: "[-+]?[0-9.,]*[0-9][0-9.,]*([eE][-+]?[0-9]+)?|-?inf",
    TRUTH: "(?i:true|false)",
    DAYS: f"{_DAY}|{_DAYTIME}",
    INSTANTS: f"{_DAYTIME}(Z|[-+][0-9]{{2}}:?[0-9]{{2}})",
    TIMES: _CLOCK,
    DURATIONS: r"-?[0-9]+([.][0-9]+)? s",
}
"""How text looks that may be a value of a kind. A number may be written in a way in
which none is: that text is no number, but may well be compared with some."""

EXAMPLES: Mapping[str, str] = {
    NUMBERS: "25 or 0.5",
    TRUTH: "true or false",
    DAYS: "2020-01-31 or 2020-01-31 12:30:00",
    INSTANTS: "2020-01-31 12:30:00Z",
    TIMES: "12:30:00",
    DURATIONS: "90 s",
}

_ASKED = r"-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?"
"""Text that is a number where a number is asked for; 025 is none."""

_EXACT = 2.0**63


def kind_of(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return INSTANTS
    return next((said for is_of, said in _KINDS.items() if is_of(kind)), TEXT)


def value_texts(values: pa.Array) -> pa.StringArray:
    """Return the text of each value, null for a missing one.

    >>> value_texts(pa.array([1e10, 0.10, -0.0, None])).to_pylist()
    ['10000000000', '0.1', '0', None]
    >>> value_texts(pa.array([Decimal("1.50"), Decimal("2.00")])).to_pylist()
    ['1.5', '2']
    >>> value_texts(pa.array([0, 500], pa.timestamp("ms"))).to_pylist()
    ['1970-01-01', '1970-01-01 00:00:00.5']
    """
    kind = values.type
    if pa.types.is_floating(kind):
        return _of_floats(widened_floats(values))
    if pa.types.is_decimal(kind):
        return _without_end_zeros(_spelt_out(values.cast(pa.string()), values))
    if pa.types.is_date64(kind):
        values = values.cast(pa.date32())
    elif pa.types.is_duration(kind):
        return _of_durations(values)
    elif pa.types.is_timestamp(kind):
        if kind.tz is not None:
            values = values.cast(pa.timestamp(kind.unit, "UTC"))
        return daytime_texts(values.cast(pa.string()))
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.array(map(_of_bytes, values.to_pylist()), pa.string())
    found = values.cast(pa.string())
    return _without_end_zeros(found) if pa.types.is_time(kind) else found


def _of_bytes(value: bytes | None) -> str | None:
    if value is None:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"0x{value.hex()}"


def widened_floats(values: pa.Array) -> pa.DoubleArray:
    """Return floats of any width as such of 64 bits; missing is NaN's only way."""
    wide = values.cast(pa.float64())
    if values.type != pa.float64():
        if pa.types.is_float16(values.type):
            halves = values.to_numpy(zero_copy_only=False).astype(np.float16)
            digits = pa.array(halves.astype(str), from_pandas=True)
        else:
            digits = values.cast(pa.string())
        wide = pc.if_else(_are_whole(wide), wide, digits.cast(pa.float64()))
    wide = pc.if_else(pc.is_nan(wide), pa.scalar(None, wide.type), wide)
    return pc.add(wide, pa.scalar(0.0, wide.type))  # No negative zero.


def _are_whole(wide: pa.DoubleArray) -> pa.BooleanArray:
    return pc.equal(wide, pc.trunc(wide))


def _of_floats(wide: pa.DoubleArray) -> pa.StringArray:
    fits = pc.and_(_are_whole(wide), pc.less(pc.abs(wide), _EXACT))
    whole = pc.if_else(fits, wide, 0.0).cast(pa.int64()).cast(pa.string())
    return _spelt_out(pc.if_else(fits, whole, wide.cast(pa.string())), wide)


def _spelt_out(found: pa.StringArray, values: pa.Array) -> pa.StringArray:
    has_one = pc.match_substring_regex(found, "[eE]")
    if not pc.any(has_one).as_py():
        return found
    spelt = [
        str(int(value))
        if isinstance(value, float) and value.is_integer()
        else format(Decimal(text), "f")
        for text, value in zip(
            found.filter(has_one).to_pylist(),
            values.filter(has_one).to_pylist(),
            strict=True,
        )
    ]
    return pc.replace_with_mask(found, has_one, pa.array(spelt, pa.string()))


def _without_end_zeros(found: pa.StringArray) -> pa.StringArray:
    """Return numbers, or ends of times, without zeros at the end of a fraction."""
    shorter = pc.replace_substring_regex(found, r"([.][0-9]*?)0+(Z?)$", r"\1\2")
    return pc.replace_substring_regex(shorter, r"[.](Z?)$", r"\1")


def daytime_texts(written: pa.StringArray) -> pa.StringArray:
    """Return the texts of datetimes written in ISO 8601; others stay as they are.

    >>> daytime_texts(pa.array(["2020-01-31T12:30:00.500", "soon"])).to_pylist()
    ['2020-01-31 12:30:00.5', 'soon']
    """
    is_one = pc.match_substring_regex(written, f"^{_DAYTIME}Z?$")
    spaced = pc.replace_substring_regex(written, "T", " ")
    no_midnight = pc.replace_substring_regex(
        _without_end_zeros(spaced), " 00:00(:00)?$", ""
    )
    return pc.if_else(is_one, no_midnight, written)


def instant_texts(written: pa.StringArray) -> pa.StringArray:
    """Return the texts of instants written in ISO 8601; others stay as they are.

    >>> instant_texts(pa.array(["2020-01-31T22:30:00.50-03:00"])).to_pylist()
    ['2020-02-01 01:30:00.5Z']
    """
    is_one = pc.match_substring_regex(written, f"^({WRITTEN[INSTANTS]})$")
    in_utc = pa.array(map(_in_utc, written.filter(is_one).to_pylist()), pa.string())
    return daytime_texts(pc.replace_with_mask(written, is_one, in_utc))


def _in_utc(text: str) -> str:
    minute, seconds, offset = re.split("(?<=:[0-9]{2})(:[0-9.]+|)", text, maxsplit=1)
    try:
        moment = datetime.fromisoformat(minute + offset).astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    return f"{moment.isoformat(' ')[:16]}{seconds or ':00'}Z"


def _of_durations(values: pa.DurationArray) -> pa.StringArray:
    digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[values.type.unit]
    counts = values.cast(pa.int64()).cast(pa.decimal128(19))
    seconds = pc.multiply(counts, pa.scalar(Decimal(1).scaleb(-digits)))
    return pc.binary_join_element_wise(value_texts(seconds), "s", " ")


def text_in(given: pa.Array, column: pa.DataType) -> str:
    """Return the text that a column of a type has for a value that is given alone."""
    # If it can have no such value, this raises what Arrow does, or an ArithmeticError.
    own, of_column = kind_of(given.type), kind_of(column)
    if own == TEXT and of_column not in (TEXT, NOTHING):
        given, own = _value_of_text(given, column), of_column
    if own != of_column and of_column not in (TEXT, NOTHING):
        raise TypeError
    text = str(value_texts(given)[0])
    if pa.types.is_integer(column) and "." in text:
        raise ValueError
    if pa.types.is_floating(column) and pa.types.is_floating(given.type):
        narrow = given.cast(column)
        is_exact = narrow.cast(given.type).equals(given)
        if is_exact and column.bit_width < given.type.bit_width:
            return str(value_texts(narrow)[0])  # One of the column that was widened.
    return text


def _value_of_text(given: pa.Array, column: pa.DataType) -> pa.Array:
    text, kind = given.cast(pa.string())[0].as_py(), kind_of(column)
    if kind == NUMBERS:
        if not re.fullmatch(_ASKED, text):
            raise ValueError
        return pa.array([Decimal(text)])
    if kind in (TRUTH, TIMES, DURATIONS) and not re.fullmatch(WRITTEN[kind], text):
        raise ValueError
    return given if kind in (TIMES, DURATIONS) else given.cast(column)
