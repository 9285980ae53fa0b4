"""`microleak assess`: the collective measures of one CSV."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

import microleak
from microleak.base.progress import told_by
from microleak.cli.options import add_reading, names


def add_assess(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    sub.add_argument("file", type=Path, help="CSV with a header, one record a person")
    sub.add_argument("--qids", required=True, type=names, help="columns, by commas")
    sub.add_argument("--sensitive", default=(), type=names, help="columns, by commas")
    sizes = "numbers of QIDs known together, by commas (default: all)"
    sub.add_argument("--sizes", type=_sizes, metavar="N,…", help=sizes)
    add_reading(sub)
    sub.set_defaults(command=_assess)


def _sizes(text: str) -> dict[str, list[int]]:
    return {"sizes": [int(size) for size in names(text)]}


def _print(said: str) -> None:
    print(f"microleak: {said}", file=sys.stderr)


def _assess(options: argparse.Namespace, words: list[str]) -> int:
    files = import_module("microleak.cli.files")
    wanted = {"--qids": options.qids, "--sensitive": options.sensitive}
    table = files.read_columns(options.file, wanted, options)
    with told_by(_print), files.in_words_of_options():
        result = microleak.assess(
            table, options.qids, options.sensitive, options.sizes or "all"
        )
    import_module("microleak.base.csv_text").print_csv(result, sys.stdout)
    return 0
