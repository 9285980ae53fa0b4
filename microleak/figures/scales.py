"""Axes of shares in round steps, and shades for values."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from babel.numbers import format_decimal
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from microleak.figures.numbers import LOCALES, Words

_ROOM = 0.03
_MARGIN = 0.06


def round_steps(shares: Iterable[float]) -> list[float]:
    """Return shares from 0 in round steps, the last not below any of those given.

    Steps are whole percentage points; missing values count for nothing.

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
    """Let the level axis hold some numbers, with room at both ends."""
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


def scale_upright(axis: Axes, numbers: Iterable[float], words: Words) -> None:
    """Let the upright axis hold 0 and some numbers, with room at both ends."""
    low, high = _widened(np.array([0.0, *numbers]))
    ticks = _even_ticks(low, high)
    axis.set_yticks(ticks, [number_label(tick, words) for tick in ticks])
    axis.set_ylim(low, high)


def _widened(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def _even_ticks(low: float, high: float) -> list[float]:
    steps = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [float(step) for step in steps if low <= step <= high]


def _log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten, 1, 2 and 5 times these or even steps, more than one."""
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


# Hues of Okabe and Ito's blue and vermilion; lightness falls evenly from 96 to 18.
_BLUES = ("#EDF5FA", "#4792C4", "#002E4C")
_ORANGES = ("#FDF2EA", "#DA7227", "#4A1F00")


@dataclass(frozen=True)
class Shades:
    """A scale of one colour from 0 to a largest share."""

    colours: tuple[str, str, str]
    largest: float  # Above 0

    def fill(self, value: float) -> str:
        """Return the colour of a share."""
        channels = np.array([to_rgb(colour) for colour in self.colours]).T
        place = value / self.largest
        red, green, blue = (np.interp(place, [0, 0.5, 1], c) for c in channels)
        return str(to_hex((float(red), float(green), float(blue))))

    def ink(self, value: float) -> str:
        """Return black or white, whichever is read better on the colour of a share."""
        luminance = relative_luminance(self.fill(value))
        # White on it has (1 + 0.05) / (luminance + 0.05) of contrast, black the rest.
        return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def relative_luminance(colour: str) -> float:
    """Return how light a colour is seen, from 0 for black to 1 for white.

    As the Web Content Accessibility Guidelines 2.2 define it.

    >>> round(relative_luminance("#FF0000"), 4)
    0.2126
    """
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def blues(values: Iterable[float]) -> Shades:
    """Return shades of blue from 0 to a round number not below any of the values."""
    return Shades(_BLUES, round_steps(values)[-1])


def oranges(values: Iterable[float]) -> Shades:
    """Return shades of orange from 0 to a round number not below any of the values."""
    return Shades(_ORANGES, round_steps(values)[-1])


def draw_cell(
    axis: Axes, place: tuple[float, float], value: float, shades: Shades
) -> str:
    """Fill a square of side 1 around a place, and return the colour to write in."""
    corner = place[0] - 0.5, place[1] - 0.5
    square = Rectangle(corner, 1, 1, edgecolor="white", linewidth=2, clip_on=False)
    square.set_facecolor(shades.fill(value))
    axis.add_patch(square)
    return shades.ink(value)


def write_centred(
    axis: Axes, place: tuple[float, float], text: str, **look: Any
) -> None:
    """Write around a place, as into a square that `draw_cell` fills."""
    axis.text(*place, text, ha="center", va="center", **look)


def hide_frame(axis: Axes) -> None:
    """Leave nothing of an axis' frame, grid and ticks but their labels."""
    axis.tick_params(length=0)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)
