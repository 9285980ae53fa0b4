"""Frames of notebooks as Arrow tables, in which equal values stay equal, no others."""

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.base.errors import ColumnsError, TableError, did_you_mean
from microleak.tables.result import as_polars

KINDS = {
    "truth values": (bool, np.bool_),
    "numbers": (int, float, Decimal, np.integer, np.floating),
    "text": (str,),
    "bytes": (bytes, bytearray),
    # A datetime is a date too, and comes first.
    "datetimes": (dt.datetime,),
    "dates": (dt.date,),
    "times": (dt.time,),
    "durations": (dt.timedelta,),
}
"""Types of Python objects; only values of one kind can be equal."""

UNCERTAIN = (pa.ArrowException, OverflowError, TypeError, ValueError)
"""What Arrow raises where it has no equal of a value, also `UnicodeEncodeError`."""


def table_of(frame: Any, names: list[str], function: str, what: str) -> pa.Table:
    columns = column_names(frame, function)
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    for name in names:
        if columns.count(name) != 1:
            known = [str(column) for column in columns]
            found = f"no column {name}.{did_you_mean(name, known)}"
            if name in columns:
                found = f"several columns {name}."
            elif name in known:
                found = f"a column {name} whose name is no text."
            raise ColumnsError(
                f"{what[0].upper()}{what[1:]} has {found} It has: {', '.join(known)}. "
                "Correct the name, or the frame.",
                [name],
            )
    if isinstance(frame, pa.Table):
        return frame.select(names)
    return pa.table({name: column_of(frame[name], name) for name in names})


def column_names(frame: Any, function: str) -> list[Any]:
    if hasattr(frame, "collect"):
        raise TableError(f"{function} takes no lazy frame. Give it frame.collect().")
    if not hasattr(frame, "columns"):
        raise TableError(
            f"{function} takes a pandas or Polars frame or an Arrow table, not "
            f"{type(frame).__name__}."
        )
    is_arrow = isinstance(frame, (pa.Table, pa.RecordBatch))
    return list(frame.column_names if is_arrow else frame.columns)


def with_texts(frame: Any, texts: Mapping[str, pa.Array]) -> Any:
    """Return a frame with columns of texts, new or in the place of those it has."""
    if isinstance(frame, pd.DataFrame):
        new = {n: pd.array(column, dtype="str") for n, column in texts.items()}
        return frame.assign(**new)
    if isinstance(frame, pa.Table | pa.RecordBatch):
        for name, column in texts.items():
            place = frame.schema.get_field_index(name)
            if place < 0:
                frame = frame.append_column(name, column)
            else:
                frame = frame.set_column(place, name, column)
        return frame
    return frame.with_columns(as_polars(pa.table(texts)))


def column_of(series: Any, name: str) -> pa.Array | pa.ChunkedArray:
    if type(series.dtype).__name__ in ("Object", "Int128", "UInt128"):
        # Polars' own, of which Arrow has addresses in memory, or nothing.
        series = pd.Series(series.to_list(), dtype=object)
    try:
        if not isinstance(series, pd.Series):
            return pa.chunked_array(series)
        if isinstance(series.dtype, pd.CategoricalDtype):
            return _encoded_categories(series, name)
        if isinstance(series.dtype, pd.SparseDtype):
            series = series.sparse.to_dense()
        if series.dtype == object:
            series = _objects_of_one_kind(series, name)
        return pa.array(series, from_pandas=True)
    except TableError:
        raise
    except UNCERTAIN:
        raise TableError(
            f"Column {name} has values that cannot be compared: text that is not "
            "Unicode, complex numbers, numbers of more than 76 digits, or datetimes to "
            "the nanosecond before 1678 or after 2261. Convert it to text."
        ) from None


def _encoded_categories(series: pd.Series, name: str) -> pa.DictionaryArray:
    codes = series.cat.codes.to_numpy()
    values = column_of(series.cat.categories.to_series(), name)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values)


def _objects_of_one_kind(series: pd.Series, name: str) -> pd.Series:
    """Return a column of objects of one kind, of one type where Arrow errs."""
    # Of pandas' own datetimes and durations it cuts nanoseconds.
    values = series[series.notna()]
    types = set(map(type, values))
    kinds = {_kind_of(each, name) for each in types}
    if kinds & {"datetimes", "times"}:
        kinds = {_kind_of(type(each), name) + _zone_of(each) for each in values}
    instants, without = (f"datetimes with{end} a time zone" for end in ("", "out"))
    if (len(kinds) > 1 and kinds != {"dates", without}) or kinds == {
        "times with a time zone"
    }:
        raise TableError(
            f"Column {name} has {' and '.join(sorted(kinds))}, which cannot be "
            "compared. Convert it to text or to one type."
        )
    if kinds == {"durations"}:
        return pd.to_timedelta(series)
    if kinds & {instants, without}:
        return pd.to_datetime(series, utc=instants in kinds)
    return _as_decimals(series, types) if kinds == {"numbers"} else series


def _zone_of(value: Any) -> str:
    """Return whether a datetime or a time has a time zone; a date has no word of it."""
    if not isinstance(value, (dt.datetime, dt.time)):
        return ""
    return f" with{'out' * (value.tzinfo is None)} a time zone"


def _as_decimals(series: pd.Series, types: set[type]) -> pd.Series:
    if len(types) == 1 and types != {int}:
        return series
    if not types & {Decimal, np.float16, np.float32}:
        with suppress(*UNCERTAIN):
            pa.array(series, from_pandas=True)
            return series
    return series.map(_decimal_of, na_action="ignore")


def _decimal_of(number: Any) -> Decimal:
    if isinstance(number, Decimal):
        return number
    # The fewest digits of a fraction, as in `same_values`.
    return Decimal(int(number) if number == number // 1 else str(number))


def _kind_of(kind: type, name: str) -> str:
    for said, types in KINDS.items():
        if issubclass(kind, types):
            return said
    raise TableError(
        f"Column {name} has objects of type {kind.__name__}, which cannot be compared. "
        "Convert it to text or numbers."
    )
