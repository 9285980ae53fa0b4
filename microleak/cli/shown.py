"""Tables as commands print them: for people in words, or as CSV for programs."""

import sys
from collections.abc import Sequence
from decimal import Decimal
from gettext import gettext as _
from typing import Any

import pandas as pd
from babel import Locale
from babel.numbers import format_decimal
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from microleak.base.language import spoken_language
from microleak.tables.files import print_csv
from microleak.tables.spec import Column, TableSpec, tables_of

# Columns that people are shown of what was assessed; the others follow from these
_ASSESSED = ("qids", "posterior_det", "prior_prob", "posterior_prob")
# The same of an inference, of what is guessed without the own record
_LEFT_OUT = "posterior_loo"

_ATTACKED = (
    *("n_records", "block_size", "posterior_det"),
    *("prior_prob", "posterior_prob", "most_likely"),
)
"""What people are shown of the attacks on one person, a row each."""

_MOST_ATTACKS = 3
"""Attacks side by side in a table, which has room for a sentence beside them."""


def print_assessed(result: pd.DataFrame, form: str) -> None:
    if form == "csv":
        print_csv(result, sys.stdout)
        return
    spec = tables_of("microleak.attacks.collective")["collective"]
    console = Console()
    for sensitive, rows in result.groupby("sensitive", sort=False):
        n = _number_text(int(rows["n_records"].iloc[0]))
        title = _("{attack}, of {n} records").format(
            attack=_attack_name(sensitive), n=n
        )
        names = (*_ASSESSED, *([_LEFT_OUT] if sensitive else []))
        console.print(_columns_across(rows, spec, names, title))
    console.print(_("All columns: --format csv. What they mean: docs/results.md."))


def print_attacked(target: pd.DataFrame, further: pd.DataFrame, form: str) -> None:
    """Print what an adversary learns of one person, and what would tell most next."""
    if form == "csv":
        print_csv(target, sys.stdout)
        print()
        print_csv(further, sys.stdout)
        return
    specs = tables_of("microleak.attacks.targets")
    console = Console()
    title = _("What an adversary who knows {known} learns").format(
        known=_joined_names(target["known"].iloc[0])
    )
    for first in range(0, len(target), _MOST_ATTACKS):
        some = target.iloc[first : first + _MOST_ATTACKS]
        console.print(_columns_down(some, specs["target"], _ATTACKED, title))
    if len(further):
        title = _("What would tell most next")
        console.print(_columns_across(further, specs["further"], list(further), title))
    console.print(_("All columns: --format csv. What they mean: docs/results.md."))


def _columns_across(
    rows: pd.DataFrame, spec: TableSpec, names: Sequence[str], title: str
) -> Table:
    table = _plain_table(title)
    for name in names:
        column = spec.by_name[name]
        table.add_column(
            Text(_column_meaning(column)),
            justify="right" if column.is_number else "left",
            overflow="fold",
        )
    for row in rows.to_dict("records"):
        table.add_row(*(_cell_text(row[name], spec.by_name[name]) for name in names))
    return table


def _columns_down(
    rows: pd.DataFrame, spec: TableSpec, names: Sequence[str], title: str
) -> Table:
    table = _plain_table(title)
    table.add_column("", overflow="fold")
    for sensitive in rows["sensitive"]:
        table.add_column(_attack_name(sensitive), justify="right", overflow="fold")
    for name in names:
        column = spec.by_name[name]
        cells = [_cell_text(value, column) for value in rows[name]]
        if any(cell.plain for cell in cells):
            table.add_row(Text(_column_meaning(column)), *cells)
    return table


def _plain_table(title: str) -> Table:
    return Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )


def _attack_name(sensitive: object) -> Text:
    if not sensitive:
        return Text(_("Re-identification"))
    return Text(
        _("Inference of {sensitive}").format(sensitive=_plain_text(str(sensitive)))
    )


def _column_meaning(column: Column) -> str:
    return column.meaning[spoken_language()].rstrip(".")


def _cell_text(value: Any, column: Column) -> Text:
    """Return a value as people write it in the language; nothing for a missing one."""
    if pd.isna(value) or value == "":
        return Text("")
    if column.type == "boolean":
        return Text(_("yes") if str(value).lower() == "true" else _("no"))
    if not column.is_number:
        return Text(_joined_names(str(value)))
    number = float(value)
    is_share = column.type == "number" and column.most == 1
    return Text(f"{_percent_text(number)} %" if is_share else _number_text(number))


def _percent_text(share: float) -> str:
    """Return a share in percent; one that is not all or none is not shown as such."""
    if 0.99995 <= share < 1:
        return f"> {_number_text(99.99)}"
    return _number_text(100 * share)


def _number_text(value: float) -> str:
    """Return a number with four digits that count, or all of its whole part."""
    is_long = not value % 1 or abs(value) >= 1000
    exact = Decimal(round(value)) if is_long else Decimal(f"{value:.4g}")
    return str(
        format_decimal(
            exact, locale=_LOCALES[spoken_language()], decimal_quantization=False
        )
    )


_LOCALES = {"en": Locale("en"), "pt": Locale("pt", "BR")}


def _joined_names(names: str) -> str:
    return _plain_text(names.replace("|", " | "))


def _plain_text(text: str) -> str:
    """Return text without what a terminal would obey; it may be a value of a file."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
