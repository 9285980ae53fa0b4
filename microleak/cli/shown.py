"""Tables as commands print them: for people in words, or as CSV for programs."""

import sys
from collections.abc import Sequence
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from microleak.attacks.collective.frames import worst_first
from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.headline import Subject, set_grid, value_grid
from microleak.base.language import number_text, spoken_language
from microleak.figures.numbers import Numbers, way_written
from microleak.report.parts import Grid
from microleak.report.texts import voice
from microleak.tables.files import print_csv
from microleak.tables.rows import by_subject
from microleak.tables.spec import Column, TableSpec, tables_of

_ATTACKED = (
    *("n_records", "block_size", "posterior_det"),
    *("prior_prob", "posterior_prob", "most_likely"),
)
"""What people are shown of the attacks on one person, a row each."""

_MOST_ATTACKS = 3
"""Attacks side by side in a table, which has room for a sentence beside them."""


_MOST_SETS = 12
"""Sets of QIDs that people are shown of one subject."""


def print_assessed(found: Any, table: str, form: str) -> None:
    """Print what was concluded, and then rows of a table, worst first."""
    if form == "csv":
        print_csv(getattr(found, table), sys.stdout)
        return
    console, speaker = Console(highlight=False), voice(spoken_language(), ())
    for said in found.conclusion(spoken_language()):
        console.print(Text(f"{_plain_text(said)}\n"))
    tables = found.of_study()
    sets_shown = by_subject(tables[table])
    for subject in Subject.every(tables).values():
        rows = worst_first(sets_shown[subject.sensitive])
        caption, worst = speaker.subject(subject.sensitive), rows.head(_MOST_SETS)
        sets = set_grid(worst, Scope(speaker, "person"), caption=caption)
        console.print(_grid_shown(sets))
        if n := len(rows) - len(worst):
            more = ngettext("and {n} other set", "and {n} other sets", n)
            console.print(Text(f"{more.format(n=number_text(n))}\n"))
        if len(subject.last_values):
            console.print(_grid_shown(value_grid({}, subject, "", speaker)))
    said = _("All sets and columns: --format csv. What they mean: docs/results.md.")
    console.print(Text(said))


def print_counted(found: Any, qids: Sequence[str], file: Path) -> None:
    """Print who can be found in published counts of the population."""
    # It draws, too, for which a library is loaded that little else here needs.
    from microleak.attacks.anonymity.report import told_by_counts  # noqa: PLC0415

    console, speaker = Console(highlight=False), voice(spoken_language(), ())
    heading = _("With {known} known, by the counts of {file}:")
    console.print(Text(heading.format(known=", ".join(qids), file=file)))
    for said in told_by_counts(found.of_study()["anonymity"], speaker):
        console.print(Text(f"{_plain_text(said)}\n"))


def print_attacked(target: pd.DataFrame, further: pd.DataFrame, form: str) -> None:
    """Print what an adversary learns of one person, and what would tell most next."""
    if form == "csv":
        print_csv(target, sys.stdout)
        print()
        print_csv(further, sys.stdout)
        return
    specs = tables_of("microleak.attacks.targets")
    console = Console(highlight=False)
    title = _("What an adversary who knows {known} learns").format(
        known=target["known"].iloc[0].replace("|", " | ")
    )
    for first in range(0, len(target), _MOST_ATTACKS):
        some = target.iloc[first : first + _MOST_ATTACKS]
        console.print(_grid_shown(_attacks_across(some, specs["target"], title)))
    if len(further):
        columns = [specs["further"].by_name[name] for name in further]
        rows = (
            tuple(_cell_text(row[each.name], each) for each in columns)
            for row in further.to_dict("records")
        )
        title = _("What would tell most next")
        headings = tuple(map(_column_meaning, columns))
        console.print(_grid_shown(Grid(title, headings, tuple(rows))))
    console.print(_("All columns: --format csv. What they mean: docs/results.md."))


def _attacks_across(rows: pd.DataFrame, spec: TableSpec, title: str) -> Grid:
    """Lay out what is measured of each attack, one beside the other."""
    found = []
    for name in _ATTACKED:
        column = spec.by_name[name]
        cells = [_cell_text(value, column) for value in rows[name]]
        if any(cells):
            found.append((_column_meaning(column), *cells))
    attacks = map(voice(spoken_language(), ()).subject, rows["sensitive"])
    return Grid(title, ("", *attacks), tuple(found))


def _grid_shown(grid: Grid) -> Table:
    """Lay out a table whose headings are broken between words alone."""
    table = Table(
        title=Text(_plain_text(grid.caption), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for i, heading in enumerate(map(_plain_text, grid.headings)):
        longest = max(map(len, heading.split()), default=0)
        side: Any = "left" if i < grid.n_texts else "right"
        table.add_column(
            Text(heading), justify=side, min_width=longest, overflow="fold"
        )
    for row in grid.rows:
        table.add_row(*(Text(_plain_text(str(cell))) for cell in row))
    return table


def _column_meaning(column: Column) -> str:
    return column.meaning[spoken_language()].rstrip(".")


def _cell_text(value: Any, column: Column) -> str:
    """Return a value as people write it in the language; nothing for a missing one."""
    if pd.isna(value) or value == "":
        return ""
    if column.type == "boolean":
        return _("yes") if str(value).lower() == "true" else _("no")
    if not column.is_number:
        return str(value).replace("|", " | ")
    write = getattr(Numbers(spoken_language()), way_written(column))
    return str(write(float(value)))


def _plain_text(text: str) -> str:
    """Return text without what a terminal would obey; it may be a value of a file."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
