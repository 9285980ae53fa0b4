"""Words for rebuilt databases: ranges of settings, formulas with their values."""

from collections.abc import Iterable

import pandas as pd

from microleak.figures.reconstruction_text import short_number
from microleak.report.texts import Voice


def counts_between(counts: Iterable[int], voice: Voice) -> str:
    """Write the least and the largest of some counts, as in `10 to 500`."""
    low, *high = _ends(counts)
    return _span(*map(voice.numbers.count, (low, *high)), voice=voice)


def bounds_between(bounds: Iterable[float], voice: Voice) -> str:
    """Write the least and the largest of some bounds of noise."""
    return _span(*(short(each, voice) for each in _ends(bounds)), voice=voice)


def shares_between(shares: Iterable[float], voice: Voice) -> str:
    """Write the least and the largest of some shares of entries."""
    ends = map(voice.numbers.share, _ends([*shares]))
    return _span(*dict.fromkeys(ends), voice=voice)


def short(value: float, voice: Voice) -> str:
    """Write a bound of noise, its share of the root of n, or a parameter."""
    return short_number(value, voice.words(is_synthetic=False))


def with_formula(value: str, formula: str, voice: Voice) -> str:
    """Write a number with the formula of n that it is of, unless it is just that."""
    if formula == value:
        return value
    return voice.say("reconstruction.formula", value=value, formula=formula)


def settings_text(rows: pd.DataFrame, voice: Voice) -> dict[str, str]:
    """Write how many entries, queries and how much noise some rows have."""
    return {
        "entries": counts_between(rows["n_entries"], voice),
        "queries": counts_between(rows["n_queries"], voice),
        "bounds": bounds_between(rows["error_bound"], voice),
    }


def _ends(numbers: Iterable[float]) -> list[float]:
    """Return the least and the largest number, once if they are equal."""
    return sorted({min(numbers), max(numbers)})


def _span(*ends: str, voice: Voice) -> str:
    if len(ends) == 1:
        return ends[0]
    return voice.say("reconstruction.span", low=ends[0], high=ends[1])
