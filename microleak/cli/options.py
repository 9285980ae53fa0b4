"""Options that several commands take."""

import argparse


def add_reading(sub: argparse.ArgumentParser) -> None:
    """Add the options that say how a CSV is written."""
    sub.add_argument("--delimiter", default=",", help="between columns (default: ,)")
    sub.add_argument("--encoding", default="utf-8", help="utf-8 (default) or latin-1")


def names(text: str) -> tuple[str, ...]:
    """Return names that are given by commas."""
    return tuple(text.split(","))
