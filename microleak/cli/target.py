"""`microleak target`: what an adversary learns of one person, printed and not kept."""

import argparse
from importlib import import_module
from pathlib import Path

from microleak.cli.options import add_reading, names

KNOWN = (
    "what is known, as NU_ANO=2001,TP_SEXO=1: a value is all up to the next ,NAME= "
    "and an empty one a missing one; in a study RELEASE.NAME for another release; or "
    "@FILE, a file with one NAME=value a line"
)


def add_target(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    place = "CSV with a header, one record a person; or results/STUDY of a study"
    sub.add_argument("place", metavar="FILE", type=Path, help=place)
    sub.add_argument("--known", required=True, metavar="NAME=VALUE,…|@FILE", help=KNOWN)
    sub.add_argument("--sensitive", default=(), type=names, help="columns, by commas")
    further = "columns that might be learned next, by commas"
    sub.add_argument("--further", default=(), type=names, help=further)
    sub.add_argument("--table", help="table of the study")
    sub.add_argument("--focal", help="release of the study that is attacked")
    add_reading(sub)
    # argparse would show words that it does not know.
    sub.set_defaults(command=_target, hides_words=True)


def _target(options: argparse.Namespace, words: list[str]) -> int:
    # Loaded when asked for, so that `microleak run` does not wait for it.
    return int(import_module("microleak.cli.attack").attack(options, words))
