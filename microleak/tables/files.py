"""Result tables as files: checked, whole, in a stated order, always the same bytes."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import pyarrow.parquet as pq

from microleak.base.errors import TableError
from microleak.base.files import whole_file
from microleak.tables.spec import ARROW, PANDAS, Column, TableSpec

if TYPE_CHECKING:
    import pandas as pd
    from pandera.errors import SchemaError

_EXPECTED = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
}
_WRITTEN = "It was not written: this is a fault of microleak. Please report it."
_READ = (
    "The file was changed or damaged after it was made. Delete it, and run microleak "
    "resume with the study file."
)


def write_table(path: Path, table: "pd.DataFrame", spec: TableSpec) -> None:
    checked = _checked_table(path, _with_text(table, spec), spec, _WRITTEN)
    with (
        whole_file(path) as aside,
        aside.open("w", encoding="utf-8", newline="") as file,
    ):
        print_csv(checked, file)


def read_table(path: Path, spec: TableSpec) -> "pd.DataFrame":
    # Text stays as it was written (a release 2018, an attribute called NA).
    types = {column.name: PANDAS[column.type] for column in spec.columns}
    try:
        table = _read_columns(path, spec, types)
    except (ValueError, TypeError, OverflowError):
        # A cell is of another type than its column, which the error does not name.
        table = _read_as_text(path, spec)
    return _checked_table(path, table, spec, _READ)


def _read_as_text(path: Path, spec: TableSpec) -> "pd.DataFrame":
    try:
        return _read_columns(path, spec, "str")
    except ValueError:
        raise TableError(
            f"{path}: its lines are not those of a CSV in UTF-8, as long as the first. "
            f"{_READ}"
        ) from None


def _read_columns(
    path: Path, spec: TableSpec, types: str | dict[str, str]
) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415

    missing = {column.name: [""] for column in spec.columns if column.is_number}
    table = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=missing)
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError("lines are longer than the first")
    return table


def _with_text(table: "pd.DataFrame", spec: TableSpec) -> "pd.DataFrame":
    texts = {}
    for column in spec.columns:
        if column.name in table.columns and not column.is_number:
            text = table[column.name].astype("str").fillna("")
            texts[column.name] = text.str.lower() if column.type == "boolean" else text
    return table.assign(**texts)


def _checked_table(
    path: Path, table: "pd.DataFrame", spec: TableSpec, remedy: str
) -> "pd.DataFrame":
    """Return a table with its columns of the types that they are said to have."""
    if (fitting := _fitting_table(table, spec)) is not None:
        return fitting
    # Only to say why it does not fit: Pandera's import and its look at each column
    # would take longer than all else that most jobs do.
    from pandera.errors import SchemaErrors  # noqa: PLC0415

    try:
        return spec.schema.validate(table, lazy=True)
    except SchemaErrors as error:
        faults = dict.fromkeys(_column_faults(error.schema_errors, table, spec))
    raise TableError(f"{path}: {'; '.join(faults)}. {remedy}")


def _fitting_table(table: "pd.DataFrame", spec: TableSpec) -> "pd.DataFrame | None":
    """Return a table with its columns of these types; None if it is another table."""
    if [*table.columns] != spec.names:
        return None
    try:
        typed = table.astype(
            {column.name: PANDAS[column.type] for column in spec.columns}
        )
    except (ValueError, TypeError, OverflowError):
        return None
    return (
        typed
        if all(_fits_column(typed[each.name], each) for each in spec.columns)
        else None
    )


def _fits_column(values: "pd.Series", column: Column) -> bool:
    is_missing = values.isna()
    if is_missing.any():
        if not (column.is_number and column.missing):
            return False
        values = values[~is_missing]
    if column.is_number:
        is_above = column.least is None or (values >= column.least).all()
        return bool(is_above and (column.most is None or (values <= column.most).all()))
    if texts := column.texts:
        return bool(values.isin(texts).all())
    return bool(column.missing) or not (values == "").any()


def _column_faults(
    errors: "Iterable[SchemaError]", table: "pd.DataFrame", spec: TableSpec
) -> Iterator[str]:
    if missing := [name for name in spec.names if name not in table.columns]:
        yield f"there is no column {', '.join(missing)}"
    if n_unknown := sum(name not in spec.by_name for name in table.columns):
        yield f"{n_unknown} columns are none of those of the table {spec.name}"
    for error in errors:
        if error.reason_code.name == "COLUMN_NOT_ORDERED":
            yield f"the columns are not in the order {', '.join(spec.names)}"
        elif fault := _column_fault(error):
            name = error.schema.name
            expected = _EXPECTED[spec.by_name[name].type]
            yield f"column {name}: {fault} where {expected} is expected"


def _column_fault(error: "SchemaError") -> str:
    import pandas as pd  # noqa: PLC0415

    cases = error.failure_cases
    n_rows = f"{len(cases)} rows have " if isinstance(cases, pd.DataFrame) else ""
    match error.reason_code.name:
        case "DATATYPE_COERCION":
            return f"{n_rows}something else" if n_rows else "something else"
        case "SERIES_CONTAINS_NULLS":
            return f"{n_rows}nothing"
        case "DATAFRAME_CHECK":
            return f"{n_rows}{error.check.error}"
    return ""


def check_parquet(path: Path, spec: TableSpec, is_new: bool = False) -> None:
    told = pq.read_metadata(path)
    found = [
        (each.name, getattr(each.type, "value_type", each.type))
        for each in told.schema.to_arrow_schema()
    ]
    if found != [(column.name, ARROW[column.type]) for column in spec.columns]:
        expected = ", ".join(f"{c.name} ({c.type})" for c in spec.columns)
        faults = [f"its columns are not {expected}"]
    else:
        groups = [told.row_group(i) for i in range(told.num_row_groups)]
        faults = [
            f"column {column.name}: {fault} where {_EXPECTED[column.type]} is expected"
            for place, column in enumerate(spec.columns)
            for fault in _out_of_bounds([g.column(place) for g in groups], column)
        ]
    if faults:
        if is_new:
            path.unlink()
        said = "; ".join(faults)
        raise TableError(f"{path}: {said}. {_WRITTEN if is_new else _READ}")


def _out_of_bounds(groups: Sequence[Any], column: Column) -> Iterator[str]:
    """Yield what a column has in any group of rows and must not have."""
    known = [each.statistics for each in groups if each.statistics is not None]
    if not column.missing and any(each.null_count for each in known):
        yield "nothing"
    ends = [each for each in known if each.has_min_max]
    if column.least is not None and any(each.min < column.least for each in ends):
        yield f"a number below {column.least:g}"
    if column.most is not None and any(each.max > column.most for each in ends):
        yield f"a number above {column.most:g}"


def print_csv(table: "pd.DataFrame", file: TextIO) -> None:
    r"""Write a table as CSV to a file or terminal that translates no line ends.

    Values with a line end are in quotation marks, also those with a lone \r, at
    which readers end a row and which pandas quotes only where rows end so.
    """
    table.to_csv(_UnixEnds(file), index=False, lineterminator="\r\n")


def count_rows(path: Path) -> int:
    """Return how many rows a CSV has below its header."""
    with path.open(encoding="utf-8", errors="replace", newline="") as lines:
        return max(0, sum(1 for _ in csv.reader(lines)) - 1)


class _UnixEnds:
    r"""Takes rows that end in \r\n, one at a time, and ends them in \n."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")
