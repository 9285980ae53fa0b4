"""Tables that are made from the code, in the pages that have MARK in their place.

`make site` puts them into the site; `python docs/site/made.py FOLDER` (`make docs`)
writes the whole pages as Markdown, to be read without the site.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microleak.base.files import write_text
from microleak.base.paths import ROOT
from microleak.cli import command_parser
from microleak.cli.parser import commands_of
from microleak.study.load import study_schema
from microleak.study.tables import result_tables as specs_by_name
from microleak.study_file.schema import Schema, keys_below
from microleak.tables.spec import WILDCARD, Column, TableSpec

if TYPE_CHECKING:  # make docs has no Sphinx
    from sphinx.application import Sphinx

MARK = (
    "<!-- Here make docs and make site put the tables that are made from the code. -->"
)
Lines = Iterator[str]


def commands() -> Lines:
    """Yield what each command takes, from its own help."""
    parser = command_parser()
    yield from _command("microleak", parser)
    for name, command in commands_of(parser).items():
        yield from _command(f"microleak {name}", command)


def _command(title: str, parser: argparse.ArgumentParser) -> Lines:
    said = parser.description or ""
    yield from (f"## {title}", "", f"{said[0].upper()}{said[1:].rstrip('.')}.", "")
    yield from ("| word | meaning |", "|---|---|")
    for action in parser._actions:
        yield from _words(action)
    yield ""


def _words(action: argparse.Action) -> Lines:
    """Yield the row of an argument, but of those that every command takes."""
    if isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
        return
    if "--lang" in action.option_strings:
        return
    word = "" if action.nargs == 0 else _value(action)
    word = " ".join(filter(None, [", ".join(action.option_strings), word]))
    needed = "; needed" if action.required and action.option_strings else ""
    yield f"| `{_cell(word)}` | {_cell(action.help or '')}{needed} |"


def _value(action: argparse.Action) -> str:
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def result_tables() -> Lines:
    """Yield each result table and its columns, from the tables.yaml files."""
    for spec in specs_by_name().values():
        yield from _table(spec)


def _table(spec: TableSpec) -> Lines:
    name = "TARGET" if spec.audience == "confidential" else "ANALYSIS"
    yield from (f"## {WILDCARD.sub(name, spec.path)}", spec.text)
    yield "| column | meaning | type | definition |"
    yield "|---|---|---|---|"
    for column, same in groupby(spec.columns, lambda each: each.template or each):
        names = ", ".join(f"`{each.name}`" for each in same)
        cells = (names, " ".join(_meaning(column)), _type(column), column.equation)
        yield "| " + " | ".join(map(_cell, cells)) + " |"
    yield from ("", *([spec.after.rstrip(), ""] if spec.after else []))


def _meaning(column: Column) -> Lines:
    meaning = column.meaning["en"]
    yield meaning
    if column.more:
        yield column.more
    if column.missing and "empty" not in meaning:
        yield f"Empty: {column.missing['en']}"


def _type(column: Column) -> str:
    if column.values:
        return ", ".join(f"`{value}`" for value in column.values)
    return column.type + (f", {column.unit}" if column.unit not in {"", "1"} else "")


def study_keys() -> Lines:
    """Yield the table of every key of a study file, from the sections' models."""
    yield "| key | what it means | values | default |"
    yield "|---|---|---|---|"
    for key, part in keys_below(study_schema()):
        default = _yaml_like(part["default"]) if "default" in part else ""
        yield f"| `{key}` | {part.get('description', '')} | {_kind(part)} | {default} |"


def _kind(part: Schema) -> str:
    if "enum" in part:
        return ", ".join(f"`{value}`" for value in part["enum"])
    if "anyOf" in part:
        return " or ".join(map(_kind, part["anyOf"]))
    kind = part.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _yaml_like(value: Any) -> str:
    if isinstance(value, list):
        return "`[" + ", ".join('""' if v == "" else str(v) for v in value) + "]`"
    return f"`{value}`"


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\|", text)


MADE = {"commands": commands, "results": result_tables, "study-file": study_keys}
"""What is made for each page of docs/ that has the mark."""


def filled(page: str, text: str) -> str:
    """Return the Markdown of a page (docs/results) with its tables."""
    made = MADE.get(page.removeprefix("docs/"))
    return text.replace(MARK, "\n".join(made()).rstrip()) if made else text


def write_pages(folder: Path) -> None:
    """Write the filled pages, whose links lead out of a folder within docs/."""
    folder.mkdir(parents=True, exist_ok=True)
    own = "|".join(MADE)
    for name in MADE:
        text = filled(name, (ROOT / f"docs/{name}.md").read_text(encoding="utf-8"))
        links = re.compile(rf"\]\((?!\w+:|#|(?:{own})\.md)")
        write_text(folder / f"{name}.md", links.sub("](../", text))


def fill_page(app: "Sphinx", page: str, source: list[str]) -> None:
    """Put the tables into a page of the site, anew at each build."""
    if page.startswith("docs/") and MARK in source[0]:
        source[0] = filled(page, source[0])
        app.env.note_reread()


def setup(app: "Sphinx") -> dict[str, bool]:
    """Have Sphinx fill the pages."""
    app.connect("source-read", fill_page)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
