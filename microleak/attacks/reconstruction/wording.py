"""How settings and results of rebuilt databases are written."""

from collections.abc import Iterable
from decimal import Decimal

import pandas as pd
from babel.numbers import format_decimal

from microleak.figures.numbers import LOCALES, epsilon_text
from microleak.figures.words import Words
from microleak.report.texts import Voice


def short_number(number: float, words: Words) -> str:
    """Write a bound of noise, its share of the root of n, or a parameter.

    Three significant digits, and from 100 on a whole number.

    Examples
    --------
    >>> from microleak.figures.numbers import Numbers
    >>> short_number(11.180339, Words({}, Numbers("pt"), False))
    '11,2'
    """
    if number >= 100:
        return words.numbers.count(round(number))
    locale = LOCALES[words.numbers.language]
    rounded = Decimal(f"{number:.3g}")
    return str(format_decimal(rounded, "#,##0.#########", locale=locale))


def exact_text(setting: pd.Series, words: Words) -> str:
    """Write how many databases of a setting were rebuilt, of how many."""
    counts = (words.numbers.count(setting[name]) for name in ("n_exact", "n_tries"))
    return "/".join(counts)


def law_text(setting: pd.Series, words: Words) -> str:
    """Name an attack and the law of the noise that it withstood."""
    return words.say(
        "reconstruction_law",
        attack=attack_text(setting, words),
        noise=answers_text(setting, words),
    )


def attack_text(setting: pd.Series, words: Words) -> str:
    """Name an attack."""
    return words.say(f"reconstruction_attack_{setting['attack']}")


def answers_text(setting: pd.Series, words: Words) -> str:
    """Name the law of the noise, and the share of answers that are anything."""
    noise = noise_text(setting, words)
    if not setting["outliers"]:
        return noise
    share = outliers_text(setting, words)
    return words.say("reconstruction_outliers", noise=noise, share=share)


def outliers_text(setting: pd.Series, words: Words) -> str:
    """Write the share of answers that are anything, as the study file gives it."""
    return f"{short_number(100 * setting['outliers'], words)}%"


def noise_text(setting: pd.Series, words: Words) -> str:
    """Name the law of the noise, with its epsilon if it has one."""
    noise = words.say(f"reconstruction_noise_{setting['noise']}")
    if not setting["epsilon"]:
        return noise
    epsilon = epsilon_text(setting["epsilon"], words.numbers)
    return words.say("reconstruction_epsilon", noise=noise, epsilon=epsilon)


def panel_text(panel: pd.DataFrame, words: Words) -> str:
    """Name what the settings of a panel share."""
    first = panel.iloc[0]
    return words.say(
        "reconstruction_panel",
        law=law_text(first, words),
        n=words.numbers.count(first["n_entries"]),
    )


def unclaimed_text(panels: Iterable[pd.DataFrame], words: Words) -> str:
    """Say that what is not claimed is not right, if any panel has such entries."""
    is_partial = any((panel["share_claimed"] < 1).any() for panel in panels)
    return words.say("reconstruction_unclaimed") if is_partial else ""


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
