"""Figures as SVG text: the same bytes from the same numbers, readable aloud."""

import io
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from microleak.figures.numbers import SYNTHETIC_MARK, Words
from microleak.figures.slim import FONT, SVG, XLINK, slim

# Okabe and Ito's colours, told apart with any colour vision, and in grey.
BLUE = "#0072B2"
VERMILION = "#D55E00"
DARK_VERMILION = "#A34700"
GREY = "#595959"

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": "#E0E0E0",
    "grid.linewidth": 0.6,
    "path.simplify": False,
    "svg.fonttype": "none",
    "text.parse_math": False,
    # Labels and lines of the grid say where a tick is.
    "xtick.major.size": 0,
    "ytick.major.size": 0,
}
_CHARACTER, _LINE, _BELOW_TITLE = 8.3, 17.0, 6.0
"""Width of a character of a title, height of a line, and room below it, in points."""

_TITLE_WIDTH = 300
"""Points of a figure that a telephone shows whole and unfaded, where its title is."""

_NARROW = 324
"""Points of a figure that a telephone shows whole."""

_PAD = 4.0
"""Points above a panel that a page shows alone."""

_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


@dataclass(frozen=True)
class Caption:
    """A figure's name in the page, what it found, its title, and a description."""

    name: str
    title: str
    description: str


@contextmanager
def plain_style() -> Iterator[None]:
    """Draw with this module's style, whatever a user's matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def canvas(
    n_axes: int, n_columns: int, size: tuple[float, float]
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure of a size in inches, and its axes row by row.

    The last row may have fewer than the others.
    """
    # The title of one row must not be taken for the axis label of the row above.
    figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(h_pad=0.09))
    shape = -(-n_axes // n_columns), n_columns
    axes = list(figure.subplots(*shape, squeeze=False, sharex=True, sharey=True).flat)
    for axis in axes[n_axes:]:
        axis.set_visible(False)
    return figure, axes[:n_axes]


def as_percent(axis: Axes, words: Words) -> None:
    """Let an axis run over shares from 0 to 1 and write them as percentages."""
    axis.set_ylim(-0.02, 1.08)
    ticks = [0, 0.25, 0.5, 0.75, 1]
    axis.set_yticks(ticks, [f"{words.numbers.count(100 * tick)}%" for tick in ticks])


def marked_svg(figure: Figure, caption: Caption, words: Words) -> str:
    """Return a figure as `svg_text` does, below its title.

    SYNTHETIC stands above that if its study is.
    """
    mark = [SYNTHETIC_MARK] if words.is_synthetic else []
    width, height = figure.get_size_inches()
    title = even_lines(caption.title, int(_TITLE_WIDTH / _CHARACTER))
    head = (_LINE * (len(mark) + len(title)) + _BELOW_TITLE) / 72
    # The panels keep the size that they have without a title.
    figure.set_size_inches(width, height + head)
    layout = figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    layout.set(rect=(0, 0, 1, height / (height + head)))
    for number, line in enumerate([*mark, *title]):
        figure.text(
            0.01,
            1 - _LINE * (number + 0.8) / (72 * (height + head)),
            line,
            color=DARK_VERMILION if number < len(mark) else "black",
            weight="bold",
            fontsize=11 if number < len(mark) else 12.5,
        ).set_in_layout(False)
    return svg_text(figure, caption)


def even_lines(text: str, width: int) -> list[str]:
    """Break a text into as few lines as fit a width, about as long as each other.

    A word is broken only where it is longer than the width.

    Examples
    --------
    >>> even_lines("two of five records are found with certainty", 38)
    ['two of five records are', 'found with certainty']
    """
    n_lines = len(textwrap.wrap(text, width))
    longest = max(map(len, text.split()), default=1)
    tried = range(min(width, longest), width + 1)
    wrapped = (textwrap.wrap(text, least) for least in tried)
    return next((lines for lines in wrapped if len(lines) <= n_lines), [])


def svg_text(figure: Figure, caption: Caption) -> str:
    """Return a figure as one `<svg>` element that can stand in any HTML page.

    Its identifiers begin with the caption's name, so that figures of one page do
    not share any; title and description are read by screen readers. It says where
    its panels are, for `panels_of`.
    """
    prefix = f"f{sha256(caption.name.encode()).hexdigest()[:8]}-"
    file = io.StringIO()
    # Laid out here once; saving would do so twice, and draw all of it in between.
    figure.set_dpi(72)
    if layout := figure.get_layout_engine():
        layout.execute(figure)
        figure.set_layout_engine(None)
    with matplotlib.rc_context({"svg.hashsalt": prefix}):
        figure.savefig(file, format="svg", metadata=_NO_METADATA)
    drawn = ElementTree.fromstring(file.getvalue())
    # Numbers and words of a drawing, read one by one, say nothing.
    look = f"stroke-linejoin: round; stroke-linecap: butt; {FONT}"
    hidden = (
        f'<g id="{prefix}drawing" aria-hidden="true" style="{look}">\n'
        f"{slim(drawn, prefix)}</g>"
    )
    return f"{_opening(figure, caption, prefix)}{hidden}</svg>\n"


def _panels(figure: Figure) -> list[str]:
    """Return where the panels of a laid-out figure are, row by row.

    The first has the title. There are none of a figure with one column, with a label of
    all columns or rows, with a legend in the place of a panel, or with columns that the
    title does not fit into.
    """
    width, height = (72 * inches for inches in figure.get_size_inches())
    boxes = {
        (place.rowspan.start, place.colspan.start): box
        for axis in figure.axes
        if axis.get_visible() and (place := axis.get_subplotspec())
        if (box := axis.get_tightbbox())
    }
    across = _edges([(n, box.x0, box.x1) for (_, n), box in boxes.items()], width)
    sides = [(n, height - box.y1, height - box.y0) for (n, _), box in boxes.items()]
    down = _edges(sides, height)
    least = min(right - left for left, right in pairwise(across))
    n_places = (len(across) - 1) * (len(down) - 1)
    if (
        len(across) < 3
        or least < _TITLE_WIDTH
        or figure.get_supxlabel()
        or figure.get_supylabel()
        or (figure.legends and len(boxes) < n_places)
    ):
        return []
    tops = {place: down[place[0]] for place in boxes}
    for panel in [*boxes][1:]:
        tops[panel] = max(tops[panel], height - boxes[panel].y1 - _PAD)
    return [
        f"{across[n]:.1f} {top:.1f} {across[n + 1] - across[n]:.1f}"
        f" {down[row + 1] - top:.1f}"
        for (row, n), top in tops.items()
    ]


def _edges(spans: Iterable[tuple[int, float, float]], end: float) -> list[float]:
    """Return where rows or columns begin and end, midway between neighbours.

    Of each panel the number of its row or column is given, and the panel's own ends.
    """
    whole: dict[int, tuple[float, float]] = {}
    for number, low, high in spans:
        known = whole.get(number, (low, high))
        whole[number] = min(low, known[0]), max(high, known[1])
    ordered = [whole[number] for number in sorted(whole)]
    return [0, *((one[1] + other[0]) / 2 for one, other in pairwise(ordered)), end]


def _opening(figure: Figure, caption: Caption, prefix: str) -> str:
    width, height = (72 * inches for inches in figure.get_size_inches())
    boxes = ",".join(_panels(figure))
    panels = f' data-panels="{boxes}"' if boxes else ""
    look = ' class="narrow"' if width <= _NARROW else ""
    return (
        f'<svg xmlns="{SVG}" xmlns:xlink="{XLINK}"'
        f' viewBox="0 0 {width:g} {height:g}" width="{width:g}pt" height="{height:g}pt"'
        f'{look}{panels} role="img" aria-labelledby="{prefix}title"'
        f' aria-describedby="{prefix}description">\n'
        f'<title id="{prefix}title">{escape(caption.title)}</title>\n'
        f'<desc id="{prefix}description">{escape(caption.description)}</desc>\n'
    )


def write_note(figure: Figure, note: str) -> None:
    """Write a note below a figure."""
    figure.supxlabel(note, x=0.01, ha="left", color=GREY, fontsize=8.5)


def analysis_svg(
    figure: Figure,
    kind: tuple[str, str],
    rows: pd.DataFrame,
    said: tuple[str, Iterable[str]],
    words: Words,
) -> str:
    """Return a figure as `marked_svg` does, named by its kind and its analysis.

    Parameters
    ----------
    figure
        What is drawn.
    kind
        Its family, and which of the family's figures it is.
    rows
        A table of one analysis; not empty.
    said
        What it shows in a sentence, its title; and further sentences for someone who
        cannot see it, of which empty ones are left out.
    words
        Phrases, numbers and whether it must say SYNTHETIC.
    """
    names = (*kind, str(rows["analysis"].iloc[0]))
    return marked_svg(figure, captioned(names, *said, words), words)


def captioned(
    names: Iterable[str], title: str, sentences: Iterable[str], words: Words
) -> Caption:
    """Name a figure by what no other of its page has, and by the language."""
    name = "|".join([*names, words.numbers.language])
    return Caption(name, title, " ".join(filter(None, sentences)))
