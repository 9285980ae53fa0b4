"""A result table as its tables.yaml describes it: columns, types, meanings, checks.

A family of attacks, and the study, describe their tables in one such file each. What
columns mean that several of them have stands in shared.yaml beside this module.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Final

import pyarrow as pa

from microleak.base.errors import entry_of
from microleak.base.paths import PACKAGE, package_yaml

TextByLanguage = Mapping[str, str]
"""A text by its language, `en` and `pt`."""

ARROW = {
    "string": pa.string(),
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "number": pa.float64(),
}
"""How a column of each type is held."""

PANDAS = {"string": "str", "boolean": "str", "integer": "Int64", "number": "float64"}
"""How pandas holds it: text is never missing, and a claim is `true` or `false`."""

# What in the pattern of a result stands for the name of a release or an analysis
WILDCARD = re.compile("{[a-z_]+}")


@dataclass(frozen=True)
class Column:
    """A column of a result table."""

    name: str
    type: str  # A key of `ARROW`, as CSV on the Web names types
    meaning: TextByLanguage  # One sentence
    missing: TextByLanguage = field(default_factory=dict)
    more: str = ""  # What the documentation says besides, in English
    equation: str = ""  # What defines it, and where
    unit: str = ""  # As UCUM writes it
    # Bounds of a number, both within
    least: float | None = None
    most: float | None = None
    values: tuple[str, ...] = ()  # All that a text can be
    disclosure: str = "none"
    is_wide: bool = False
    template: "Column | None" = None

    @property
    def is_number(self) -> bool:
        return self.type in {"integer", "number"}

    @property
    def texts(self) -> list[str]:
        values = ("true", "false") if self.type == "boolean" else self.values
        return [*values, ""] if values and self.missing else [*values]


@dataclass(frozen=True)
class TableSpec:
    """A result table."""

    name: str  # Its name, which no other table of any family has
    path: str  # Pattern of its files below the study's folder, with wildcards in braces
    description: TextByLanguage  # What it holds, in one sentence
    columns: tuple[Column, ...]  # In their order
    # What the documentation says before and after the columns, in English
    text: str = ""
    after: str = ""
    printed: tuple[str, ...] = ()  # Columns that fit a printed page
    audience: str = "internal"  # Whose report has it: `internal`, `public`, or `none`
    notes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @property
    def names(self) -> list[str]:
        return list(self.by_name)

    def saying(self, disclosure: str) -> list[str]:
        """Return the columns that say this of persons (`Column.disclosure`)."""
        return [c.name for c in self.columns if c.disclosure == disclosure]

    @cached_property
    def digest(self) -> str:
        """A number for what its rows can be; what is said of them does not count."""
        told = [
            (c.name, c.type, bool(c.missing), c.least, c.most, c.values, c.disclosure)
            for c in self.columns
        ]
        return hashlib.sha256(repr(told).encode()).hexdigest()


@cache
def tables_of(package: str, file: str = "tables.yaml") -> Mapping[str, TableSpec]:
    """Return the tables that a package's file describes, by their names.

    Where a table gives no `path`, it is `measures/TABLE/{FAMILY}.csv`. A column is
    what the table's `own`, the file's `columns` or shared.yaml says, in this order.
    A name with a word in braces stands for a column for each of the words in `each`.

    >>> list(tables_of("microleak.study"))[:3]
    ['ingest', 'removed', 'protections']
    """
    content, shared = _yaml_content(package, file), _shared()
    columns = shared["columns"] | content.get("columns", {})
    path = f"measures/{{}}/{{{{{package.rpartition('.')[2]}}}}}.csv"
    return {
        name: _table_spec(
            name, {"path": path.format(name)} | told, columns, shared["kinds"]
        )
        for name, told in content["tables"].items()
    }


@cache
def _shared() -> Mapping[str, Any]:
    return _yaml_content("microleak.tables", "shared.yaml")


def tables_content(package: str) -> dict[str, Any]:
    return _yaml_content(package, "tables.yaml")


def _yaml_content(package: str, file: str) -> dict[str, Any]:
    return package_yaml(PACKAGE.parent.joinpath(*package.split("."), file))


def _table_spec(
    name: str,
    told: Mapping[str, Any],
    columns: Mapping[str, Any],
    kinds: Mapping[str, Any],
) -> TableSpec:
    given, known = dict(told), {**columns, **told.get("own", {})}
    given.pop("own", None)
    found = [
        column
        for each in _flat_names(given.pop("columns"))
        for column in _columns_of_entry(
            each, entry_of(known, each, f"{name} of tables.yaml"), kinds
        )
    ]
    printed = tuple(given.pop("printed", ()))
    return TableSpec(name, columns=tuple(found), printed=printed, **given)


def _flat_names(names: Iterable[str | list[str]]) -> Iterator[str]:
    for each in names:
        yield from [each] if isinstance(each, str) else _flat_names(each)


def _columns_of_entry(
    name: str, told: Mapping[str, Any], kinds: Mapping[str, Any]
) -> Iterator[Column]:
    given = {
        **entry_of(
            kinds, told["kind"], f"kinds, of which {name} in tables.yaml is one,"
        ),
        **told,
    }
    del given["kind"]
    is_number = given["type"] in {"integer", "number"}
    given.setdefault("unit", "1" if is_number else "")
    given["values"] = tuple(given.get("values", ()))
    ((word, values),) = given.pop("each", {"": [""]}).items()

    def column(value: object) -> Column:
        here = {word: value}
        meaning = {k: text.format(**here) for k, text in told["meaning"].items()}
        return Column(name.format(**here), **(given | {"meaning": meaning}))

    template = column(word.upper()) if word else None
    yield from (replace(column(value), template=template) for value in values)


_SPECIAL: Final = ("|", "=", '"', " - ")


def cell_text(values: Mapping[str, str | None]) -> str:
    """Return values of attributes as a text that no other values have.

    A missing value is nothing; what could be taken for something else is quoted.

    >>> print(cell_text({"age": None, "race": "", "sex": "F|M"}))
    age=|race=""|sex="F|M"
    """
    return "|".join(
        f"{_quoted_cell(name)}={'' if value is None else _quoted_cell(value)}"
        for name, value in values.items()
    )


def _quoted_cell(text: str) -> str:
    if text and not any(sign in text for sign in _SPECIAL):
        return text
    return json.dumps(text, ensure_ascii=False)
