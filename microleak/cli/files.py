"""One CSV as `assess` and `target` take it."""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from microleak.cli.known import PIECES
from microleak.errors import MicroleakError, TableError, ordinal
from microleak.sources.archive import members
from microleak.sources.definition import SourceDefinition, source_definition
from microleak.sources.header import header
from microleak.sources.member import Member
from microleak.sources.reader import chunks

Wanted = Mapping[str, Iterable[str]]
"""Columns by the option that names them, as `--qids`."""

_OPTIONS = (
    ("encoding under options in the study file", "--encoding"),
    ("options in the study file", "--delimiter or --encoding"),
    ("archive under releases in the study file", "FILE"),
)
"""What a study's settings are called at the command line."""


def read_columns(file: Path, wanted: Wanted, options: argparse.Namespace) -> pa.Table:
    """Read columns of a file into memory: no copy of its records stays on a disk.

    Raises
    ------
    MicroleakError
        If the file cannot be read, or has no such column. A column of `--known` is
        told by its place, as it may be a piece of a value.
    """
    reading = {"delimiter": options.delimiter, "encoding": options.encoding}
    columns = list(dict.fromkeys(name for part in wanted.values() for name in part))
    with _in_words_of_options():
        definition = source_definition("delimited", file.name, reading)
        return pa.concat_tables(
            chunk
            for member in members(file, definition.members)
            for chunk in _chunks(member, definition, wanted, columns)
        )


def _chunks(
    member: Member, definition: SourceDefinition, wanted: Wanted, columns: list[str]
) -> Iterator[pa.Table]:
    there = header(member, definition, [])
    for option, part in wanted.items():
        for i, name in enumerate(part, 1):
            if name not in there:
                raise TableError(_missing(member, definition, option, name, i))
    yield from chunks(member, definition, columns)


def _missing(
    member: Member, definition: SourceDefinition, option: str, name: str, i: int
) -> str:
    said = f"{member.where}: line 1, split at {definition.delimiter!r}, has no column"
    if option == "--known":
        place = f"of the {ordinal(i)} name of --known"
        return f"{said} {place}. Correct it, or --delimiter. {PIECES}"
    return f"{said} {name}. Correct {option} or --delimiter."


@contextmanager
def _in_words_of_options() -> Iterator[None]:
    """Name the options of the command where an error names settings of a study."""
    try:
        yield
    except MicroleakError as error:
        said = str(error)
        for setting, option in _OPTIONS:
            said = said.replace(setting, option)
        raise type(error)(said) from None
