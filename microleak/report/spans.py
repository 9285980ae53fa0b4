"""The lowest and the highest of several values, in words."""

from collections.abc import Callable

import pandas as pd

from microleak.report.texts import Voice

_MOST_NAMES = 3


def span(values: pd.Series, write: Callable[[str], str], voice: Voice) -> str:
    """Write the lowest and the highest value with what each is of.

    Parameters
    ----------
    values
        By the names of what they are of; suppressed ones are missing.
    write
        Writes the value of a name.
    voice
        The language and audience.

    Returns
    -------
    str
        As in `1% (Acre) to 5% (Bahia)`; of several that are equal the first is
        named. Where all that are known are equal the value stands there once, with
        their names or, of more than three, their number, and whether others are
        suppressed. Empty if none is known.
    """
    known = values.dropna().astype("float64").sort_index()
    if known.empty:
        return ""
    if known.nunique() == 1:
        return voice.say(
            "numbers.span_equal",
            value=write(known.index[0]),
            names=_names(known, len(values), voice),
        )
    low, high = known.idxmin(), known.idxmax()
    return voice.say(
        "numbers.span",
        low=write(low),
        low_name=str(low),
        high=write(high),
        high_name=str(high),
    )


def _names(known: pd.Series, n_all: int, voice: Voice) -> str:
    names = _listed(known, n_all, voice)
    if len(known) == n_all:
        return names
    return voice.say("numbers.span_rest", names=names)


def _listed(known: pd.Series, n_all: int, voice: Voice) -> str:
    if len(known) <= _MOST_NAMES:
        return voice.listing(map(str, known.index))
    return voice.say(
        "numbers.span_of",
        number=voice.numbers.count(len(known)),
        n_all=voice.numbers.count(n_all),
    )
