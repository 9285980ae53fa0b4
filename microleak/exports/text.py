r"""Tables as CSV for spreadsheets, self-describing JSON, Parquet, and LaTeX.

Programs read `report/data`, where a text is as it is. LaTeX has the tables that a page
shows whole, for a document to `\input`, in any encoding of fonts and beside babel,
whose languages may make `"` a command: that is `\symbol{34}` here.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.exports.tables import (
    LANGUAGE,
    PublishedStudy,
    ReportTable,
    marks,
    schema,
    source,
    spec_of,
)
from microleak.tables.spec import ARROW

ENCODING = "utf-8-sig"
"""With the mark by which Excel knows UTF-8."""

_FORMULA = re.compile(r"[\s'\"]*[=+\-@＝＋－＠\t\r\n]|'")


def is_like_formula(text: str) -> bool:
    """Say whether a spreadsheet might take a text for a formula.

    Such a text begins with one of `= + - @`, their wide forms, a tab or a line end,
    whatever spaces and quotes stand before.

    >>> [is_like_formula(text) for text in ("=1", " +1", "a=1", "")]
    [True, True, False, False]
    """
    return bool(_FORMULA.match(text))


def guarded(text: str) -> str:
    """Return a text with `'` before it if it begins with that or is like a formula.

    Who takes one `'` from the beginning has the text again.

    >>> guarded("=cmd"), guarded("'a"), guarded("a")
    ("'=cmd", "''a", 'a')
    """
    return f"'{text}" if is_like_formula(text) else text


@dataclass(frozen=True)
class Locale:
    """How spreadsheets of a country write a CSV."""

    delimiter: str
    point: str


LOCALES = {"en": Locale(",", "."), "pt": Locale(";", ",")}
"""By language."""

TAGS = {"en": "en", "pt-BR": "pt"}
"""Languages by what the command calls their locales."""


def write_csv(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table with every text in quotes, numbers without, and missing empty."""
    locale = LOCALES[study.language]
    with path.open("w", encoding=ENCODING, newline="") as file:
        file.write(_line(table.columns, locale))
        file.writelines(_line(row.values(), locale) for row in table.records())


def csv_dialect(resource: dict[str, Any], study: PublishedStudy) -> dict[str, Any]:
    """Return the description of a CSV with how it is written, as Data Packages say it.

    What they take for granted, `,` and a decimal point, is not said.
    """
    resource = {**resource, "encoding": ENCODING}
    locale = LOCALES[study.language]
    if locale == LOCALES["en"]:
        return resource
    fields = [
        field | ({"decimalChar": locale.point} if field["type"] == "number" else {})
        for field in resource["schema"]["fields"]
    ]
    schema = {**resource["schema"], "fields": fields}
    dialect = {"delimiter": locale.delimiter}
    return {**resource, "dialect": dialect, "schema": schema}


def _line(values: Iterable[object], locale: Locale) -> str:
    return locale.delimiter.join(_csv_cell(value, locale) for value in values) + "\n"


def _csv_cell(value: object, locale: Locale) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + guarded(value).replace('"', '""') + '"'
    return repr(value).replace(".", locale.point)


DIALECT = {"dialect": {"property": "data"}}
"""Where in the file a Data Package finds the rows."""


def write_json(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table, a row a line; null is a number that is missing."""
    told = {
        **marks(study),
        "table": table.name,
        "description": table.description,
        "source": source(table),
        "schema": schema(table),
    }
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_text(told)[:-1] + ', "data": [')
        for i, row in enumerate(table.records()):
            file.write((",\n" if i else "\n") + _text(row))
        file.write("\n]}\n")


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_parquet(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table; file and columns have their description as metadata."""
    pq.write_table(table.rows.cast(_schema(study, table)), path, compression="zstd")


def _schema(study: PublishedStudy, table: ReportTable) -> pa.Schema:
    described = (
        pa.field(
            name,
            ARROW[column.type],
            metadata={"description": column.meaning[LANGUAGE], "unit": column.unit},
        )
        for name, column in table.columns.items()
    )
    told = {
        "data": "SYNTHETIC" if study.is_synthetic else "released",
        "study": study.name,
        "audience": study.audience,
        "description": table.description,
        "source": table.source,
        "source_sha256": table.sha256,
    }
    return pa.schema(described, metadata=told)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_\allowbreak{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}\allowbreak{}",
    '"': r"\symbol{34}",
    # After \\ these would be its argument and its star.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_LAST_LATIN = "\u017f"
_TYPOGRAPHIC = set("–—‘’“”…€")
"""Printed by every font of the encoding T1, beside Latin letters and their signs."""

_LIGATURE = re.compile("(?<=[-'`,?!])(?=[-'`,])")


def tex(text: str) -> str:
    r"""Return a text as LaTeX prints it, lines of it broken after `_` and `|` only.

    A character that is not printed, as one that turns the direction of writing, or
    not in a Latin font, stands there by its number.

    >>> print(tex("50 % of A_B"), tex("a--b"), tex("\u202e"))
    50 \% of A\_\allowbreak{}B a-{}-b \texttt{U+202E}
    """
    return _LIGATURE.sub("{}", "".join(map(_character, text)))


def _character(character: str) -> str:
    is_latin = character <= _LAST_LATIN or character in _TYPOGRAPHIC
    if is_latin and character.isprintable():
        return _SPECIAL.get(character, character)
    return rf"\texttt{{U+{ord(character):04X}}}"


DIGITS = 6
"""Significant digits of a number; the other formats have all."""


def is_printed(name: str) -> bool:
    """Say whether a table has a form in print, by its name."""
    spec = spec_of(name)
    return bool(spec and spec.printed)


def write_latex(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table as a `longtable` of the package booktabs, for a landscape page.

    A text that is the same in all rows stands in the caption, not in a column.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in _lines(study, table))


def _lines(study: PublishedStudy, table: ReportTable) -> Iterator[str]:
    alike = _alike(table)
    names = [name for name in _printed(table) if name not in alike]
    head = " & ".join(map(_heading, names)) + r" \\"
    yield f"% {study.notice} {study.name}, audience: {study.audience}"
    yield f"% {table.source}, SHA-256 {table.sha256}"
    yield r"% \usepackage{array,booktabs,longtable}"
    yield r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}"
    yield rf"\begin{{longtable}}{{{''.join(_aligned(name, table) for name in names)}}}"
    yield rf"\caption{{{_caption(study, table, alike)}}}"
    yield rf"\label{{tab:{table.name}}}\\"
    for end in (r"\endfirsthead", r"\endhead"):
        yield from (r"\toprule", head, r"\midrule", end)
    yield from (r"\bottomrule", r"\endfoot")
    for row in table.records():
        yield " & ".join(_latex_cell(row[name]) for name in names) + r" \\"
    yield r"\end{longtable}\endgroup"


def _printed(table: ReportTable) -> list[str]:
    return [name for name in table.spec.printed if name in table.columns]


def _alike(table: ReportTable) -> dict[str, str]:
    """Return the texts that are the same in all rows, if there are rows."""
    texts = [n for n in _printed(table) if table.columns[n].type == "string"]
    values = {name: table.rows[name].unique().to_pylist() for name in texts}
    return {name: only[0] for name, only in values.items() if len(only) == 1}


def _caption(study: PublishedStudy, table: ReportTable, alike: dict[str, str]) -> str:
    data = study.notice if study.is_synthetic else "released data"
    name = f"{study.name} ({data}, {study.audience})"
    told = [f"{name}: {value}" for name, value in alike.items() if value]
    parts = (table.description.removesuffix("."), name, *told)
    return "; ".join(map(tex, parts)) + "."


def _aligned(name: str, table: ReportTable) -> str:
    if table.columns[name].is_wide:
        return r">{\raggedright\arraybackslash}p{0.25\linewidth}"
    return "l" if table.columns[name].type in {"string", "boolean"} else "r"


def _heading(name: str) -> str:
    """Return a column's name, each of its words on a line."""
    words = r"\_\\".join(tex(word) for word in name.split("_"))
    return rf"\shortstack[l]{{{words}}}"


def _latex_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return _number(value) if isinstance(value, float) else tex(str(value))


def _number(value: float) -> str:
    r"""Return a number as mathematics prints it, its sign and power of ten too.

    >>> print(_number(0.25), _number(-0.00002))
    $0.25$ $-2\times10^{-5}$
    """
    digits, e, power = f"{value:.{DIGITS}g}".partition("e")
    return rf"${digits}\times10^{{{int(power)}}}$" if e else f"${digits}$"
