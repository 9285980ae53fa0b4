"""`microleak target`: what an adversary learns of one person, printed and not kept."""

import argparse
from importlib import import_module
from pathlib import Path

from microleak.cli.options import add_reading, names

KNOWN = (
    "what is known: @FILE, a file with one NAME=value a line, or - for such lines on "
    "the standard input, neither of which others can see; or NAME=value,..., which "
    "stands in the list of processes and in the shell's history. There a value is all "
    "up to the next ,NAME=. An empty value is a missing one; in a study another "
    "release's is RELEASE.NAME. May be given several times"
)


def add_target(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    place = "CSV with a header, one record a person; or results/STUDY of a study"
    sub.add_argument("place", metavar="FILE", type=Path, help=place)
    sub.add_argument(
        "--known",
        required=True,
        action="append",
        metavar="@FILE|-|NAME=VALUE,…",
        help=KNOWN,
    )
    sub.add_argument("--sensitive", default=(), type=names, help="columns, by commas")
    further = "columns that might be learned next, by commas"
    sub.add_argument("--further", default=(), type=names, help=further)
    sub.add_argument("--table", help="table of the study")
    sub.add_argument("--focal", help="release of the study that is attacked")
    add_reading(sub)
    # argparse would show words that it does not know.
    sub.set_defaults(command=_target, hides_words=True)


def _target(options: argparse.Namespace, words: list[str]) -> int:
    return int(import_module("microleak.cli.attack").attack(options, words))
