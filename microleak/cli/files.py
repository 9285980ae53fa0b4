"""One CSV as `assess` and `target` take it, and lists of its columns."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from microleak.sources.archive import members
from microleak.sources.definition import source_definition
from microleak.sources.reader import chunks


def add_reading(sub: argparse.ArgumentParser) -> None:
    """Add the options that say how a CSV is written."""
    sub.add_argument("--delimiter", default=",", help="between columns (default: ,)")
    sub.add_argument("--encoding", default="utf-8", help="utf-8 (default) or latin-1")


def names(text: str) -> tuple[str, ...]:
    """Return names that are given by commas."""
    return tuple(text.split(","))


def read_columns(
    file: Path, wanted: Sequence[str], options: argparse.Namespace
) -> pa.Table:
    """Read columns of a file into memory: no copy of its records stays on a disk."""
    reading = {"delimiter": options.delimiter, "encoding": options.encoding}
    definition = source_definition("delimited", file.name, reading)
    columns = list(dict.fromkeys(wanted))
    return pa.concat_tables(
        chunk
        for member in members(file, definition.members)
        for chunk in chunks(member, definition, columns)
    )
