"""Commands and options in docs/commands.md, as the parser has them; `make docs`."""

import argparse
from collections.abc import Iterator

from microleak.base.files import write_text
from microleak.base.paths import ROOT
from microleak.cli import command_parser
from microleak.cli.parser import commands_of

PAGE = ROOT / "docs/commands.md"
BEGIN = "<!-- Made by make docs from the commands' own help; edit that, not this. -->"
END = "<!-- End of what is made. -->"


def documented_commands(page: str) -> str:
    """Return docs/commands.md with what the commands take between its two marks."""
    before, after = page.split(BEGIN, maxsplit=1)[0], page.split(END)[1]
    parser = command_parser()
    own = (
        _command_section(f"microleak {n}", sub)
        for n, sub in commands_of(parser).items()
    )
    sections = "\n".join([_command_section("microleak", parser), *own])
    return f"{before}{BEGIN}\n\n{sections}\n{END}{after}"


def _command_section(title: str, parser: argparse.ArgumentParser) -> str:
    rows = [row for action in parser._actions for row in _argument_rows(action)]
    said = parser.description or ""
    lines = [f"## {title}", "", f"{said[0].upper()}{said[1:].rstrip('.')}.", ""]
    return "\n".join([*lines, "| word | meaning |", "|---|---|", *rows]) + "\n"


def _argument_rows(action: argparse.Action) -> Iterator[str]:
    """Yield the row of what a parser takes, but of what all of them take."""
    if isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
        return
    if "--lang" in action.option_strings:  # said once, above
        return
    if action.option_strings:
        value = "" if action.nargs == 0 else f" {_argument_value(action)}"
        word = f"{', '.join(action.option_strings)}{value}"
    else:
        word = _argument_value(action)
    needed = "; needed" if action.required and action.option_strings else ""
    yield f"| `{_table_cell(word)}` | {_table_cell(action.help or '')}{needed} |"


def _argument_value(action: argparse.Action) -> str:
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def _table_cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    write_text(PAGE, documented_commands(PAGE.read_text(encoding="utf-8")))
