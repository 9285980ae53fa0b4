"""Axes of shares in round steps, as wide as the values need."""

from collections.abc import Iterable

import numpy as np
from babel.numbers import format_decimal
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from microleak.figures.numbers import LOCALES
from microleak.figures.words import Words

_ROOM = 0.03
_MARGIN = 0.06


def round_steps(shares: Iterable[float]) -> list[float]:
    """Return shares from 0 in round steps, the last not below any of those given.

    Steps are whole percentage points; missing values count for nothing.

    Examples
    --------
    >>> round_steps([0.0634, 0.5667, float("nan")])
    [0.0, 0.2, 0.4, 0.6]
    """
    largest = np.nanmax([0.01, *shares])
    locator = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10], integer=True)
    return [round(step) / 100 for step in locator.tick_values(0, 100 * largest)]


def percent_labels(shares: Iterable[float], words: Words, unit: str = "%") -> list[str]:
    """Write shares that are whole percentages."""
    return [f"{words.numbers.count(round(100 * share))}{unit}" for share in shares]


def scale_shares(
    axis: Axes, shares: Iterable[float], words: Words, unit: str = "%"
) -> None:
    """Let the upright axis run from 0 to the round step above the largest share."""
    steps = round_steps(shares)
    axis.set_yticks(steps, percent_labels(steps, words, unit))
    axis.set_ylim(-_ROOM * steps[-1], (1 + _ROOM) * steps[-1])


def scale_numbers(
    axis: Axes, numbers: Iterable[float], is_logarithmic: bool, words: Words
) -> None:
    """Let the level axis hold some numbers, with room at both ends.

    On a logarithmic axis, where all are above 0, the ticks are powers of ten, or
    1, 2 and 5 times these, or even steps, whichever first gives more than one.
    """
    values = np.array(list(numbers) or [1.0, 10.0])
    if is_logarithmic:
        axis.set_xscale("log")
        low, high = np.exp(_widened(np.log(values)))
    else:
        low, high = _widened(values)
    ticks = _log_ticks(low, high) if is_logarithmic else _even_ticks(low, high)
    axis.set_xticks(ticks, [number_label(tick, words) for tick in ticks])
    axis.set_xticks([], minor=True)
    axis.set_xlim(low, high)


def _widened(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def _even_ticks(low: float, high: float) -> list[float]:
    steps = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [float(step) for step in steps if low <= step <= high]


def _log_ticks(low: float, high: float) -> list[float]:
    powers = [10.0**n for n in range(int(np.log10(low)) - 1, int(np.log10(high)) + 2)]
    for factors in ((1,), (1, 2, 5)):
        steps = [factor * power for power in powers for factor in factors]
        ticks = [step for step in steps if low <= step <= high]
        if len(ticks) > 1:
            return ticks
    return _even_ticks(low, high)


def number_label(number: float, words: Words) -> str:
    """Write a number of an axis, a round one, of which three decimals are all."""
    locale = LOCALES[words.numbers.language]
    return str(format_decimal(number, "#,##0.###", locale=locale))
