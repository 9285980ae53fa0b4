"""How epsilons and measures of noisy counts are written."""

import re

import pandas as pd
from babel.numbers import format_decimal

from microleak.figures.mechanism_rows import LOSS
from microleak.figures.numbers import LOCALES, Numbers
from microleak.figures.words import Words

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def epsilon_text(epsilon: str, numbers: Numbers) -> str:
    """Write an epsilon of the study file as a language does.

    Examples
    --------
    >>> epsilon_text("ln 10^5", Numbers("en")), epsilon_text("0.5", Numbers("pt"))
    ('ln 10⁵', '0,5')
    """
    raised = re.sub(r"\^(\d+)", lambda found: found[1].translate(_RAISED), epsilon)
    comma = format_decimal(0.5, "0.0", locale=LOCALES[numbers.language])[1]
    return raised.replace(".", comma)


def epsilon_equals(epsilon: str, numbers: Numbers) -> str:
    r"""Write which epsilon it is, without a place where a line may break.

    Examples
    --------
    >>> epsilon_equals("ln 3", Numbers("en"))
    'ε\xa0=\xa0ln\xa03'
    """
    return f"ε = {epsilon_text(epsilon, numbers)}".replace(" ", "\xa0")


def measure_text(value: float, numbers: Numbers) -> str:
    """Write a privacy loss, utility or chance as Nunes' tables do, to five decimals.

    A published one, which was rounded already, has the digits that are left; where
    these are those of 1 it is only about 1.

    Examples
    --------
    >>> measure_text(1.4401392, Numbers("pt")), measure_text(1, Numbers("en"))
    ('1,44014', '1.00000')
    >>> public = Numbers("en", is_published=True)
    >>> measure_text(1.440, public), measure_text(1, public)
    ('1.44', '≈1')
    """
    if pd.isna(value):
        return numbers.suppressed
    return _about(
        value, "#,##0.###" if numbers.is_published else "#,##0.00000", numbers
    )


def short_text(value: float, measure: str, words: Words) -> str:
    """Write a privacy loss with two decimals, another measure as a percentage.

    A loss of exactly 1, which is none, has no decimals.

    Examples
    --------
    >>> english = Words({}, Numbers("en"), False)
    >>> [short_text(value, "privacy_loss", english) for value in (1, 1.001, 1.875)]
    ['1', '1.00', '1.88']
    >>> short_text(0.5, "utility", english)
    '50.0%'
    """
    if pd.isna(value):
        return words.numbers.suppressed
    if measure != LOSS:
        return f"{words.numbers.brief(value)}%"
    is_short = value == 1 or words.numbers.is_published
    return _about(value, "0.##" if is_short else "0.00", words.numbers)


def _about(value: float, pattern: str, numbers: Numbers) -> str:
    written = format_decimal(value, pattern, locale=LOCALES[numbers.language])
    return f"≈{written}" if numbers.is_published and value == 1 else str(written)
