"""States side by side: what figures draw of them, in which order, and their names."""

from collections.abc import Callable

import pandas as pd

from microleak.figures import tables
from microleak.figures.svg import Caption
from microleak.figures.words import Words

NAMES = {
    "AC": "Acre",
    "AL": "Alagoas",
    "AM": "Amazonas",
    "AP": "Amapá",
    "BA": "Bahia",
    "CE": "Ceará",
    "DF": "Distrito Federal",
    "ES": "Espírito Santo",
    "GO": "Goiás",
    "MA": "Maranhão",
    "MG": "Minas Gerais",
    "MS": "Mato Grosso do Sul",
    "MT": "Mato Grosso",
    "PA": "Pará",
    "PB": "Paraíba",
    "PE": "Pernambuco",
    "PI": "Piauí",
    "PR": "Paraná",
    "RJ": "Rio de Janeiro",
    "RN": "Rio Grande do Norte",
    "RO": "Rondônia",
    "RR": "Roraima",
    "RS": "Rio Grande do Sul",
    "SC": "Santa Catarina",
    "SE": "Sergipe",
    "SP": "São Paulo",
    "TO": "Tocantins",
}
"""Brazil's states by their letters."""


def full_name(state: str) -> str:
    """Name a state with its letters.

    Examples
    --------
    >>> full_name("RR")
    'Roraima (RR)'
    """
    return f"{NAMES[state]} ({state})"


def newest(rows: pd.DataFrame) -> pd.DataFrame:
    """Give the rows of the newest year, years being compared as text."""
    return rows[rows["year"] == rows["year"].max()]


def with_all_qids(rows: pd.DataFrame) -> pd.DataFrame:
    """Give the rows of the largest number of QIDs."""
    return rows[rows["n_qids"] == rows["n_qids"].max()]


def ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Give each state's row of the newest year with all QIDs, by its letters.

    Parameters
    ----------
    rows
        Rows of `measures/states.csv` of one analysis and one sensitive attribute.

    Returns
    -------
    pandas.DataFrame
        The rows from the highest additive leakage to the lowest, equals by their
        letters, those suppressed last; the index holds the letters.
    """
    chosen = with_all_qids(newest(rows)).sort_values("state", kind="stable")
    by_leakage = chosen.sort_values("additive_leakage", ascending=False, kind="stable")
    return by_leakage.set_index("state")


def extremes(
    values: pd.Series, write: Callable[[float, bool], str], words: Words
) -> str:
    """Say the highest and the lowest of some states' values, with their names.

    Parameters
    ----------
    values
        A share a state, by its letters; a suppressed one is missing. Of several
        that are equal the first is named.
    write
        How a share, which a published 0 may hide, is written.
    words
        Phrases and numbers.
    """
    known = values.dropna().astype(float)
    if known.empty:
        return words.numbers.suppressed
    ends = [known.idxmax(), known.idxmin()]
    highest, lowest = (f"{full_name(end)} {write(known[end], True)}" for end in ends)
    if len(known) == 1:
        return highest
    return words.say("extremes", highest=highest, lowest=lowest)


def caption(kind: str, rows: pd.DataFrame, words: Words, description: str) -> Caption:
    """Title a figure of states by its kind, the sensitive attribute and the year."""
    first = rows.iloc[0]
    return Caption(
        name="|".join([kind, first["analysis"], subject(rows), words.numbers.language]),
        title=words.say(
            f"{kind}_title", subject=subject(rows), year=str(rows["year"].max())
        ),
        description=description,
        is_published=tables.is_published(rows),
    )


def subject(rows: pd.DataFrame) -> str:
    """Name the sensitive attribute of some rows, which have one only."""
    return str(rows["sensitive"].iloc[0])
