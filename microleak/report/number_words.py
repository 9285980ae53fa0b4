"""Numbers in sentences: to how many digits, and which may stand beside each other."""

from decimal import Decimal

import pandas as pd
from babel.numbers import format_decimal

from microleak.figures.numbers import LOCALES
from microleak.report.texts import Voice

_PART = 0.1
"""Part of a difference of shares by which a ratio may miss it."""


def agrees(ratio: float, prior: float, posterior: float) -> bool:
    """Say whether a rounded ratio contradicts no share beside which it is told.

    For the public a ratio keeps as many significant digits as a share of the table
    has, so that one of few digits may be 1 beside shares that differ. It agrees if
    the prior times the ratio misses the posterior by no more than a tenth of their
    difference. A prior that is shown as 0 contradicts no ratio.

    Parameters
    ----------
    ratio
        The posterior divided by the prior, rounded.
    prior, posterior
        As they are shown, in [0, 1].

    Examples
    --------
    >>> agrees(1.0, 0.8, 0.9), agrees(1.13, 0.506, 0.57), agrees(412.0, 0.0, 0.366)
    (False, True, True)
    """
    if prior == 0:
        return True
    return abs(ratio * prior - posterior) <= _PART * abs(posterior - prior)


def four_digits(value: float, voice: Voice) -> str:
    """Write a number to four significant digits, as tables have all of them.

    Examples
    --------
    >>> from microleak.report.texts import voice
    >>> [four_digits(x, voice("pt", False)) for x in (1.3176914, 1269.2581, 2.0)]
    ['1,318', '1.269', '2']
    """
    if pd.isna(value):
        return voice.numbers.suppressed
    rounded = Decimal(f"{value:.4g}")
    locale = LOCALES[voice.language]
    return str(format_decimal(rounded, "#,##0.#########", locale=locale))
