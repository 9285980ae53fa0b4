"""Result tables as files: checked, whole, in a stated order, always the same bytes."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import pyarrow.parquet as pq

from microleak.base.errors import TableError
from microleak.base.files import whole_file
from microleak.tables.spec import ARROW, PANDAS, Column, TableSpec

if TYPE_CHECKING:
    import pandas as pd

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
            values = table[column.name].astype(object)
            text = values.where(values.notna(), "").astype("str")
            texts[column.name] = text.str.lower() if column.type == "boolean" else text
    return table.assign(**texts)


def _checked_table(
    path: Path, table: "pd.DataFrame", spec: TableSpec, remedy: str
) -> "pd.DataFrame":
    """Return a table with its columns of the types that they are said to have."""
    import pandas as pd  # noqa: PLC0415

    faults, typed = [*_faults_of_names([*table.columns], spec)], {}
    for column in () if faults else spec.columns:
        try:
            values = table[column.name].astype(PANDAS[column.type])
        except (ValueError, TypeError, OverflowError):
            found = ["something else"]
        else:
            found = [*_faults_of_values(values, column)]
            typed[column.name] = values
        expected = f"where {_EXPECTED[column.type]} is expected"
        faults += [f"column {column.name}: {each} {expected}" for each in found]
    if faults:
        raise TableError(f"{path}: {'; '.join(faults)}. {remedy}")
    return pd.DataFrame(typed, columns=spec.names)


def _faults_of_names(names: list[str], spec: TableSpec) -> Iterator[str]:
    if missing := [name for name in spec.names if name not in names]:
        yield f"there is no column {', '.join(missing)}"
    if n_unknown := sum(name not in spec.by_name for name in names):
        yield f"{n_unknown} columns are none of those of the table {spec.name}"
    if {*names} == {*spec.names} and names != spec.names:
        yield f"the columns are not in the order {', '.join(spec.names)}"


def _faults_of_values(values: "pd.Series", column: Column) -> Iterator[str]:
    """Yield what values of the column's type must not be, and in how many rows."""
    known, wrong = values.dropna(), {}
    if not (column.is_number and column.missing):
        wrong["nothing"] = values.isna()
    if column.least is not None:
        wrong[f"a number below {column.least:g}"] = known < column.least
    if column.most is not None:
        wrong[f"a number above {column.most:g}"] = known > column.most
    if texts := column.texts:
        others = f"another text than {', '.join(filter(None, texts))}"
        wrong[others] = ~known.isin(texts)
    elif not (column.is_number or column.missing):
        wrong["no text"] = known == ""
    for said, are_wrong in wrong.items():
        if n_rows := int(are_wrong.sum()):
            yield f"{n_rows} rows have {said}"


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
