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
from xml.sax.saxutils import escape, quoteattr

import matplotlib
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

from microleak.base.xml_text import xml_text
from microleak.figures.numbers import SYNTHETIC_MARK, Words
from microleak.figures.slim import COLUMN, FONT, SVG, XLINK, slim

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
    "axes.titlesize": 10,
    # Where it is anyway, but not looked for with every layout: no ticks are above it.
    "axes.titley": 1.0,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    # The smallest letters, which are 10 pixels high on a telephone.
    "font.size": 9.6,
    "grid.color": "#E0E0E0",
    "grid.linewidth": 0.6,
    "path.simplify": False,
    "svg.fonttype": "none",
    "text.parse_math": False,
    # Labels and lines of the grid say where a tick is.
    "xtick.major.size": 0,
    "ytick.major.size": 0,
}
_PIXELS = 1.08
"""Of a telephone, a point: its 359 pixels less the margins of a page are a column."""

_CHARACTER, _LINE, _BELOW_TITLE = 8.3, 17.0, 6.0
"""Width of a character of a title, height of a line, and room below it, in points."""

_LETTER, _NOTE_LINE = 5.8, 13.0
"""Width of any other letter, and height of a line of a note, in points."""

_BESIDE = 45.0
"""Points of a panel beside or below its axes."""

_PAD = 4.0
"""Points above a panel that a page shows alone."""

_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


@dataclass(frozen=True)
class Caption:
    """A figure's name in the page, what it found, its title, and a description."""

    name: str
    title: str
    description: str
    note: str = ""  # Below it: what its marks mean, or what it leaves out


def plain_layout() -> ConstrainedLayoutEngine:
    """Return what gives each panel its place."""
    return ConstrainedLayoutEngine(h_pad=0.09)


@contextmanager
def plain_style() -> Iterator[None]:
    """Draw with this module's style, whatever a user's matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def canvas(n_axes: int, n_columns: int, height: float) -> tuple[Figure, list[Axes]]:
    """Return an empty figure of a height in inches, and its axes row by row."""
    # The title of one row must not be taken for the axis label of the row above.
    figure = Figure((COLUMN * min(n_columns, 2), height), layout=plain_layout())
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
    """Return a figure as `svg_text` does, between SYNTHETIC, its title and its note."""
    _fit_texts(figure)
    width, height = (72 * inches for inches in figure.get_size_inches())
    mark = [SYNTHETIC_MARK] if words.is_synthetic else []
    title = even_lines(caption.title, int(width / _CHARACTER))
    note = even_lines(caption.note, int(width / _LETTER))
    head = _LINE * (len(mark) + len(title)) + _BELOW_TITLE
    foot = _NOTE_LINE * len(note)
    # The panels keep the size that they have without a title.
    whole = head + height + foot
    figure.set_size_inches(width / 72, whole / 72)
    layout = figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    layout.set(rect=(0, foot / whole, 1, height / whole))
    look = {"color": DARK_VERMILION, "fontsize": 11, "weight": "bold"}
    _write_lines(figure, mark, _LINE * 0.8, _LINE, **look)
    look = {"fontsize": 12.5, "weight": "bold"}
    _write_lines(figure, title, _LINE * (len(mark) + 0.8), _LINE, **look)
    place = head + height + _NOTE_LINE * 0.7
    _write_lines(figure, note, place, _NOTE_LINE, color=GREY)
    return svg_text(figure, caption, (head, height))


def _fit_texts(figure: Figure) -> None:
    """Break what is written around panels into lines that a panel has room for."""
    width, height = (72 * inches for inches in figure.get_size_inches())
    for axis in figure.axes:
        place = axis.get_subplotspec()
        assert place is not None
        n_rows, n_columns = place.get_gridspec().get_geometry()
        across = int((width / n_columns - _BESIDE) / _LETTER)
        down = int((height / n_rows - _BESIDE) / _LETTER)
        title = axis.get_title(loc="left")
        for text in axis.findobj(Text, include_self=False):
            if text.get_text() == title:
                _break(text, across)
        _break(axis.xaxis.label, across)
        _break(axis.yaxis.label, down)


def _break(text: Artist, width: int) -> None:
    assert isinstance(text, Text)
    lines = text.get_text().split("\n")
    text.set_text("\n".join("\n".join(even_lines(line, width)) for line in lines))


def _write_lines(
    figure: Figure, lines: Iterable[str], first: float, step: float, **look: Any
) -> None:
    """Write lines so many points below the top, and below one another."""
    height = 72 * figure.get_size_inches()[1]
    for number, line in enumerate(lines):
        place = 1 - (first + number * step) / height
        figure.text(0.01, place, line, **look).set_in_layout(False)


def even_lines(text: str, width: int) -> list[str]:
    """Break a text into as few lines as fit a width, about as long as each other.

    A word is broken only where it is longer than the width.

    >>> even_lines("two of five records are found with certainty", 38)
    ['two of five records are', 'found with certainty']
    """
    n_lines = len(textwrap.wrap(text, width))
    longest = max(map(len, text.split()), default=1)
    tried = range(min(width, longest), width + 1)
    wrapped = (textwrap.wrap(text, least) for least in tried)
    return next((lines for lines in wrapped if len(lines) <= n_lines), [])


def svg_text(
    figure: Figure, caption: Caption, body: tuple[float, float] | None = None
) -> str:
    """Return a figure as one `<svg>` element that can stand in any HTML page.

    It says for `in_page` where its panels are, and the top and height in points of its
    `body`, which has neither title nor note.
    """
    # Figures of one page share no identifier.
    prefix = f"f{sha256(caption.name.encode()).hexdigest()[:8]}-"
    file = io.StringIO()
    # Laid out here once; saving would do so twice, and draw all of it in between.
    figure.set_dpi(72)
    if layout := figure.get_layout_engine():
        layout.execute(figure)
        figure.set_layout_engine(None)
    with matplotlib.rc_context({"svg.hashsalt": prefix}):
        figure.savefig(file, format="svg", metadata=_NO_METADATA)
    drawn = ElementTree.fromstring(xml_text(file.getvalue()))
    # Numbers and words of a drawing, read one by one, say nothing.
    look = f"stroke-linejoin: round; stroke-linecap: butt; {FONT}"
    hidden = (
        f'<g id="{prefix}drawing" aria-hidden="true" style="{look}">\n'
        f"{slim(drawn, prefix)}</g>"
    )
    opening = _opening(figure, caption, prefix, body)
    return xml_text(f"{opening}{hidden}</svg>\n")


def _panels(figure: Figure, top: float, end: float) -> list[str]:
    """Return where the panels of a figure are, if it is wider than a column."""
    width, height = (72 * inches for inches in figure.get_size_inches())
    places = {
        axis: place
        for axis in figure.axes
        if axis.get_visible() and (place := axis.get_subplotspec())
    }
    columns = {place.colspan.start for place in places.values()}
    if len(columns) < 2 or width <= 72 * COLUMN:
        return []
    boxes = {
        (place.rowspan.start, place.colspan.start): box
        for axis, place in places.items()
        if (box := axis.get_tightbbox())
    }
    across = _edges([(n, box.x0, box.x1) for (_, n), box in boxes.items()], 0, width)
    sides = [(n, height - box.y1, height - box.y0) for (n, _), box in boxes.items()]
    down = _edges(sides, top, end)
    tops = {
        place: max(down[place[0]], height - box.y1 - _PAD)
        for place, box in boxes.items()
    }
    return [
        f"{across[n]:.1f} {top:.1f} {across[n + 1] - across[n]:.1f}"
        f" {down[row + 1] - top:.1f}"
        for (row, n), top in tops.items()
    ]


def _edges(
    spans: Iterable[tuple[int, float, float]], start: float, end: float
) -> list[float]:
    """Return where rows or columns begin and end, midway between neighbours."""
    whole: dict[int, tuple[float, float]] = {}
    for number, low, high in spans:
        known = whole.get(number, (low, high))
        whole[number] = min(low, known[0]), max(high, known[1])
    ordered = [whole[number] for number in sorted(whole)]
    return [start, *((one[1] + other[0]) / 2 for one, other in pairwise(ordered)), end]


def _opening(
    figure: Figure, caption: Caption, prefix: str, body: tuple[float, float] | None
) -> str:
    width, height = (72 * inches for inches in figure.get_size_inches())
    top, shown = body or (0.0, height)
    said = {
        "data-body": f"0 {top:g} {width:g} {shown:g}",
        "data-panels": ",".join(_panels(figure, top, top + shown)),
        "data-note": caption.note,
    }
    told = "".join(f" {name}={quoteattr(text)}" for name, text in said.items() if text)
    # What cannot be cut into panels is scrolled where a page is narrow.
    if width > 72 * COLUMN and not said["data-panels"]:
        told += f' style="min-width: {_PIXELS * width:.0f}px"'
    return (
        f'<svg xmlns="{SVG}" xmlns:xlink="{XLINK}"'
        f' viewBox="0 0 {width:g} {height:g}" width="{width:g}pt" height="{height:g}pt"'
        f'{told} role="img" aria-labelledby="{prefix}title"'
        f' aria-describedby="{prefix}description">\n'
        f'<title id="{prefix}title">{escape(caption.title)}</title>\n'
        f'<desc id="{prefix}description">{escape(caption.description)}</desc>\n'
    )


def analysis_svg(
    figure: Figure,
    kind: tuple[str, str],
    rows: pd.DataFrame,
    said: tuple[str, Iterable[str]],
    words: Words,
    note: str = "",
) -> str:
    """Return a figure as `marked_svg` does, named by its kind and its analysis."""
    names = (*kind, str(rows["analysis"].iloc[0]))
    return marked_svg(figure, captioned(names, *said, words, note), words)


def captioned(
    names: Iterable[str],
    title: str,
    sentences: Iterable[str],
    words: Words,
    note: str = "",
) -> Caption:
    """Name a figure by what no other of its page has, and by the language."""
    name = "|".join([*names, words.numbers.language])
    return Caption(name, title, " ".join(filter(None, sentences)), note)
