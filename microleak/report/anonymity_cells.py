"""Numbers of anonymity, written: each may be suppressed, or not apply."""

import pandas as pd

from microleak.figures import tables
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


def k_said(row: pd.Series, column: str, voice: Voice) -> str:
    """Write k as an equation, or that it is below 10 where it is suppressed."""
    if pd.isna(row[column]):
        return voice.say("anonymity.k_few")
    return voice.say("anonymity.k_known", k=voice.numbers.count(row[column]))


def qids_said(row: pd.Series, voice: Voice) -> str:
    """Name a row's quasi-identifiers in words."""
    return voice.known(tables.qids_of(row))


def records_said(row: pd.Series, column: str, voice: Voice) -> str:
    """Write a number of records with its noun, as in `1 record`."""
    is_one = pd.notna(row[column]) and row[column] == 1
    key = f"anonymity.records_{'one' if is_one else 'many'}"
    return voice.say(key, n=count(row, column, voice))
