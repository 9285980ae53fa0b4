"""`microleak assess`: the collective measures of one CSV."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

import microleak
from microleak.cli.options import add_reading, names


def add_assess(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    sub.add_argument("file", type=Path, help="CSV with a header, one record a person")
    sub.add_argument("--qids", required=True, type=names, help="columns, by commas")
    sub.add_argument("--sensitive", default=(), type=names, help="columns, by commas")
    add_reading(sub)
    sub.set_defaults(command=_assess)


def _assess(options: argparse.Namespace, words: list[str]) -> int:
    # Loaded when asked for, so that `microleak run` does not wait for it.
    read_columns = import_module("microleak.cli.files").read_columns
    wanted = {"--qids": options.qids, "--sensitive": options.sensitive}
    table = read_columns(options.file, wanted, options)
    result = microleak.assess(table, options.qids, options.sensitive)
    import_module("microleak.csv_text").print_csv(result, sys.stdout)
    return 0
