"""Shades for values: the larger the darker, with any colour vision and in grey."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from microleak.figures.scales import round_steps

# Hues of Okabe and Ito's blue and vermilion; lightness falls evenly from 96 to 18.
_BLUES = ("#EDF5FA", "#4792C4", "#002E4C")
_ORANGES = ("#FDF2EA", "#DA7227", "#4A1F00")


@dataclass(frozen=True)
class Shades:
    """A scale of one colour from 0 to a largest share.

    Attributes
    ----------
    colours
        Those of 0, of the middle and of the largest, each darker than the last.
    largest
        Above 0. Values beyond either end have the colour of that end.
    """

    colours: tuple[str, str, str]
    largest: float

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

    Examples
    --------
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
    axis.add_patch(
        Rectangle(
            (place[0] - 0.5, place[1] - 0.5),
            1,
            1,
            facecolor=shades.fill(value),
            edgecolor="white",
            linewidth=2,
        )
    )
    return shades.ink(value)
