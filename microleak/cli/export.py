"""`microleak export`: the tables of a report in the formats of other programs."""

import argparse
from importlib import import_module
from pathlib import Path

from microleak.base.errors import StudyError
from microleak.cli.options import names

FORMAT = "csv (for spreadsheets), json, latex, parquet and xlsx, some or all, by commas"


def add_export(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    sub.add_argument("folder", type=Path, help="results/STUDY")
    sub.add_argument("--format", required=True, type=names, help=FORMAT)
    to = "folder in which each format has its own (default: results/STUDY-export)"
    sub.add_argument("--to", type=Path, metavar="FOLDER", help=to)
    sub.set_defaults(command=_export)


def _export(options: argparse.Namespace, words: list[str]) -> int:
    if words:
        raise StudyError(f"microleak export takes no words after its options: {words}.")
    export = import_module("microleak.exports.export").export
    name = f"{options.folder.resolve().name}-export"
    to = options.to or options.folder.parent / name
    for folder in export(options.folder, to, options.format):
        print(folder)
    return 0
