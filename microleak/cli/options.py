"""Options that several commands take."""

import argparse


def add_reading(sub: argparse.ArgumentParser) -> None:
    """Add the options that say how a CSV is written."""
    sub.add_argument("--delimiter", default=",", help="between columns (default: ,)")
    encodings = "utf-8 (default), latin-1 or cp1252"
    sub.add_argument("--encoding", default="utf-8", help=encodings)
    missing = "texts that are a missing value, by commas, beside an empty one"
    sub.add_argument("--missing", default=(), type=names, help=missing)
    person = "column that tells persons apart; one that has two records is refused"
    sub.add_argument("--person-id", metavar="NAME", help=person)


def names(text: str) -> tuple[str, ...]:
    """Return names that are given by commas."""
    return tuple(text.split(","))
