"""Cells of the tables of anonymity, written: a number, suppressed, or none."""

import pandas as pd

from microleak.figures.anonymity_population import estimated
from microleak.figures.anonymity_rows import is_suppressed
from microleak.report.texts import Voice

NOTHING = "–"
"""Stands for what does not apply, as k-map without a population."""


def count(row: pd.Series, column: str, voice: Voice) -> str:
    """Write a count, of records or people.

    Counts of small blocks are suppressed up to more than 9, so a cell does not say how
    small one is.
    """
    if pd.isna(row[column]):
        return voice.numbers.suppressed if is_suppressed(row, column) else NOTHING
    return voice.numbers.count(row[column])


def share(row: pd.Series, column: str, voice: Voice, is_positive: bool = True) -> str:
    """Write a share or chance as a percentage."""
    if pd.isna(row[column]):
        return voice.numbers.suppressed if is_suppressed(row, column) else NOTHING
    return voice.numbers.share(row[column], is_positive)


def part(row: pd.Series, counted: str, shared: str, voice: Voice) -> str:
    """Write a count with its share in brackets, which is left out if suppressed."""
    written = count(row, counted, voice)
    if pd.isna(row[counted]) or pd.isna(row[shared]):
        return written
    return voice.say(
        "anonymity.of",
        n=written,
        share=voice.numbers.share(row[shared], row[counted] > 0),
    )


def number(row: pd.Series, column: str, voice: Voice) -> str:
    """Write a number that is no share, as l or t."""
    if pd.isna(row[column]):
        return voice.numbers.suppressed if is_suppressed(row, column) else NOTHING
    return voice.numbers.ratio(row[column])


def bound(row: pd.Series, column: str, voice: Voice) -> str:
    """Write the bound of a recursive c, or that no c will do."""
    if pd.isna(row[column]) and not is_suppressed(row, column):
        return voice.say("anonymity.no_c")
    return number(row, column, voice)


def estimate(row: pd.Series, column: str, voice: Voice) -> str:
    """Write an estimated chance, which far below a percent says that it is small."""
    if pd.isna(row[column]):
        return share(row, column, voice)
    return estimated(row[column], voice.words(is_synthetic=False))
