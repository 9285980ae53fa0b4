"""Numbers and lists in sentences: digits, beginnings, the lowest and the highest."""

from collections.abc import Callable, Sequence
from decimal import Decimal

import pandas as pd
from babel.numbers import format_decimal

from microleak.figures.numbers import LOCALES
from microleak.report.texts import Voice


def four_digits(value: float, voice: Voice) -> str:
    """Write a number to four significant digits, as tables have all of them.

    Examples
    --------
    >>> from microleak.report.texts import voice
    >>> [four_digits(x, voice("pt")) for x in (1.3176914, 1269.2581, 2.0)]
    ['1,318', '1.269', '2']
    """
    rounded = Decimal(f"{value:.4g}")
    locale = LOCALES[voice.language]
    return str(format_decimal(rounded, "#,##0.#########", locale=locale))


def capital(text: str) -> str:
    """Return a phrase as it begins a sentence.

    Examples
    --------
    >>> capital("three facts"), capital("")
    ('Three facts', '')
    """
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Return the beginning of a sentence as it stands within one.

    Examples
    --------
    >>> uncapital("No person")
    'no person'
    """
    return text[:1].lower() + text[1:]


_MOST_NAMES = 3


def span(values: pd.Series, write: Callable[[str], str], voice: Voice) -> str:
    """Write the lowest and the highest value with what each is of.

    Parameters
    ----------
    values
        By the names of what they are of; some may be missing.
    write
        Writes the value of a name.
    voice
        The language.

    Returns
    -------
    str
        As in `1% (Acre) to 5% (Bahia)`; of several that are equal the first is
        named. Where all that are known are equal the value stands there once, with
        their names or, of more than three, their number, and whether others are
        missing. Empty if none is known.
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


_MOST_VALUES = 3


def predicate_text(kind: str, values: Sequence[str | None], voice: Voice) -> str:
    """Write which values are counted.

    Examples
    --------
    >>> from microleak.report.texts import voice
    >>> predicate_text("between", ("1937", "2000"), voice("en"))
    'from “1937” to “2000”'
    >>> predicate_text("in", ("a|b", None), voice("en"))
    'one of “a|b”, (missing)'
    """
    missing = voice.say("predicate.missing")
    told = [missing if value is None else f"“{value}”" for value in values]
    if kind == "between":
        return voice.say("predicate.between", low=told[0], high=told[1])
    if kind == "in" and len(told) > _MOST_VALUES:
        return voice.say("predicate.in_many", n_values=voice.numbers.count(len(told)))
    return voice.say(f"predicate.{kind}", values=", ".join(told))
