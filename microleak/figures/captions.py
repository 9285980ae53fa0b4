"""What is said of a figure of one analysis, alike in several families."""

from collections.abc import Iterable

import pandas as pd

from microleak.figures import tables
from microleak.figures.svg import Caption
from microleak.figures.words import Words


def caption(
    family: str,
    kind: str,
    rows: pd.DataFrame,
    words: Words,
    sentences: Iterable[str],
) -> Caption:
    """Name and title a figure by its family, its kind and its analysis.

    Parameters
    ----------
    family, kind
        The phrase `FAMILY_KIND_title` is its title.
    rows
        A table of one analysis; not empty.
    words
        Phrases and numbers.
    sentences
        What it shows, for who cannot see it; empty ones are left out.
    """
    analysis = str(rows["analysis"].iloc[0])
    return Caption(
        name="|".join([family, kind, analysis, words.numbers.language]),
        title=words.say(f"{family}_{kind}_title", analysis=analysis),
        description=" ".join(filter(None, sentences)),
        is_published=tables.is_published(rows),
    )
