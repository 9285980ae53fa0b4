"""One CSV as `assess` and `target` take it."""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from microleak.base.errors import MicroleakError, TableError, ordinal
from microleak.cli.known import PIECES
from microleak.sources.definitions.definition import SourceDefinition, source_definition
from microleak.sources.files.archive import members
from microleak.sources.files.header import ATTRIBUTE_OR_ARCHIVE, header
from microleak.sources.files.member import Member
from microleak.sources.formats.reader import chunks

Wanted = Mapping[str, Iterable[str]]
"""Columns by the option that names them, as `--qids`."""

_OPTIONS = (
    ("archive, or delimiter under options, in the study file", "--delimiter"),
    ("delimiter under options in the study file", "--delimiter"),
    ("encoding under options in the study file", "--encoding"),
    (", or give n_rows or sha256 under releases in the study file", ""),
    ("options in the study file", "--delimiter or --encoding"),
    ("archive under releases in the study file", "FILE"),
    ("for example, subsets: {sizes: [1, 2]}", "for example, --sizes 1,2"),
    ("subsets.sizes", "--sizes"),
    ('subsets is "all", "full" or {"sizes": […]} with sizes', "--sizes has numbers"),
    ("Correct qids or sensitive", "Correct --qids or --sensitive"),
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
    reading = {
        "delimiter": options.delimiter,
        "encoding": options.encoding,
        "missing": ["", *options.missing],
    }
    person = options.person_id
    if person:
        wanted = {**wanted, "--person-id": [person]}
    columns = list(dict.fromkeys(name for part in wanted.values() for name in part))
    with in_words_of_options():
        definition = source_definition("delimited", file.name, reading)
        table = pa.concat_tables(
            chunk
            for member in members(file, definition.members)
            for chunk in _chunks(member, definition, wanted, columns)
        )
    if person:
        _refuse_repeated(table[person], person, file)
    return table


def _refuse_repeated(column: pa.ChunkedArray, person: str, file: Path) -> None:
    """Refuse a person who has several records, of which a study keeps one, or none."""
    if column.null_count:
        raise TableError(
            f"{file}: {column.null_count:,} records have no {person}. Correct the "
            "file, --person-id or --missing."
        )
    n_more = len(column) - len(column.unique())
    if n_more:
        raise TableError(
            f"{file}: {n_more:,} records have a {person} that another has too, but a "
            "person counts once. Write a study with person_id, which keeps one record "
            "of each (docs/own-file.md), or correct --person-id."
        )


def _chunks(
    member: Member, definition: SourceDefinition, wanted: Wanted, columns: list[str]
) -> Iterator[pa.Table]:
    there = header(member, definition, [])
    for option, part in wanted.items():
        for i, name in enumerate(part, 1):
            if name not in there:
                _refuse_missing(member, definition, wanted, option, i)
    yield from chunks(member, definition, columns)


def _refuse_missing(
    member: Member, definition: SourceDefinition, wanted: Wanted, option: str, i: int
) -> None:
    """Refuse the i-th column of an option; one of `--known` is not shown."""
    if option == "--known":
        raise TableError(
            f"{member.where}: line 1, split at {definition.delimiter!r}, has no column "
            f"of the {ordinal(i)} name of --known. Correct it, or --delimiter. {PIECES}"
        )
    named = [name for key, part in wanted.items() if key != "--known" for name in part]
    try:
        header(member, definition, named)
    except TableError as error:
        said = str(error).replace(ATTRIBUTE_OR_ARCHIVE, f"{option} or --delimiter")
        raise TableError(said) from None


@contextmanager
def in_words_of_options() -> Iterator[None]:
    """Name the options of the command where an error names settings of a study."""
    try:
        yield
    except MicroleakError as error:
        said = str(error)
        for setting, option in _OPTIONS:
            said = said.replace(setting, option)
        raise type(error)(said) from None
