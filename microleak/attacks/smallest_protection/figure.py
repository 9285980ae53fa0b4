"""The figure of a search: how many are alone over what is lost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.attacks.smallest_protection.shown import Shown, shown_of
from microleak.attacks.smallest_protection.wording import (
    change_text,
    kind_of_loss,
    loss_text,
    lost_text,
)
from microleak.figures.numbers import Words
from microleak.figures.scales import percent_labels
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    GREY,
    VERMILION,
    analysis_svg,
    as_percent,
    canvas,
    even_lines,
    plain_style,
)
from microleak.report.public import written_share
from microleak.report.texts import voice

_HEIGHT = 4.4
"""In inches."""

_FIFTHS = (4, 3, 2, 1, 0)
"""Fifths of the people: of what leaves no more alone, that which loses least is named.
"""

_LINE, _POINTS = 0.046, 9.4
"""Height of a line of a label, as a share of the scale, and size of its letters."""

_CHARACTERS, _BOLD = 54, 0.8
"""Letters that the scale of losses has room for, and the share of bold ones."""

_LABEL = 42
"""Letters of a line below the scale of losses."""

_LONGEST = 36
"""Letters of a line of a label, where there is room."""

_BESIDE = 0.06
"""How far from its point a label stands, as a share of the scale of losses."""

_RIGHT = 0.7
"""Share of that scale from which a label stands above its point, to the left."""

_TOP = 1.08
"""How far up labels may reach, as a share of the people."""


def frontier(nodes: pd.DataFrame, words: Words) -> str:
    """Draw how many are alone over what is lost, as an `<svg>`.

    The line goes through the nodes with fewer alone than any of no more loss. Named are
    the release, the smallest protection, and of the other nodes those that first leave
    no more than four, three, two and one fifth alone, and nobody.
    """
    empty = pd.DataFrame({"reason": [], "n_nodes": []})
    return draw_frontier(shown_of(nodes, empty, pd.DataFrame(), pd.DataFrame()), words)


def draw_frontier(shown: Shown, words: Words) -> str:
    """Draw it of the tables of a search."""
    widest = _widest(shown)
    rows = shown.nodes[shown.nodes["on_frontier"] | shown.nodes["is_answer"]]
    rows = pd.concat([shown.nodes.loc[[shown.as_it_is.name]], rows])
    rows = rows[~rows.index.duplicated()]
    alone = rows["n_alone"] / rows["n_records"]
    points = _points(
        rows.assign(x=rows["loss"] / widest, y=alone),
        alone.map(words.numbers.share),
        words,
    )
    with plain_style():
        figure, axis = _drawn([*points], words)
        _scale_losses(axis, kind_of_loss(shown.answer), widest, words)
        return analysis_svg(figure, _NAMES, shown.nodes, _told(shown, words), words)


def draw_public(rows: pd.DataFrame, words: Words) -> str:
    """Draw table `frontier`, with shares as it has them and levels in place of a loss.

    Texts of the table are never missing.
    """
    flags = {name: rows[name] == "true" for name in ("on_frontier", "is_answer")}
    lost = [float(Fraction(each)) for each in rows["given_up"]]
    shares = [*map(written_share, rows["alone_pct"], rows["step_pct"])]
    told = rows.assign(**flags, x=lost, y=rows["alone_pct"] / 100)
    points = [*_points(told, pd.Series(shares, rows.index), words)]
    (answer,) = (n for n, point in enumerate(points) if point.is_answer)
    title = words.say(
        f"smallest_protection_found{'' if answer else '_none'}",
        before=shares[0],
        after=shares[answer],
    )
    with plain_style():
        figure, axis = _drawn(points, words)
        _scale_losses(axis, "levels", 1, words)
        return analysis_svg(figure, _NAMES, rows, (title, []), words)


_NAMES = "smallest_protection", "frontier"


def _told(shown: Shown, words: Words) -> tuple[str, list[str]]:
    """Return the title, what the smallest change brings, and a description."""
    numbers, answer = words.numbers, shown.answer
    told = {
        name: numbers.share(int(row["n_alone"]) / int(row["n_records"]))
        for name, row in (("before", shown.as_it_is), ("after", answer))
    }
    kept = "" if answer["n_changed"] else "_none"
    left = "" if kept or answer["n_alone"] else "_nobody"
    lost = lost_text(answer, words.say, "smallest_protection_lost", numbers)
    return (
        words.say(f"smallest_protection_found{kept}{left}", **told),
        [words.say(f"smallest_protection_alt{kept}", **told, lost=lost)],
    )


def _widest(shown: Shown) -> float:
    """Return the largest loss of the figure: 1 of what all nodes can lose wholly."""
    if kind_of_loss(shown.answer) in {"information", "cells"}:
        return 1.0
    return float(shown.nodes["loss"].max()) or 1.0


def _scale_losses(axis: Axes, kind: str, widest: float, words: Words) -> None:
    """Say what is lost, and where how much of it."""
    ticks = [quarter / 4 for quarter in range(5)]
    said = (
        percent_labels(ticks, words)
        if widest == 1
        else [loss_text(kind, tick * widest, words.numbers) for tick in ticks]
    )
    axis.set_xticks(ticks, said)
    label = even_lines(words.say(f"smallest_protection_{kind}"), _LABEL)
    axis.set_xlabel("\n".join(label))


@dataclass(frozen=True)
class _Point:
    """A node: shares of both scales, and what is written beside it, if it is named."""

    loss: float
    alone: float
    label: str
    is_on: bool
    is_answer: bool
    is_release: bool


def _points(rows: pd.DataFrame, shares: pd.Series, words: Words) -> Iterator[_Point]:
    """Yield the nodes of some rows.

    Parameters
    ----------
    rows
        By loss, with their places `x` and `y` as shares of both scales.
    shares
        Who is alone, as written.
    words
        The language.
    """
    line, speaker = rows[rows["on_frontier"]], voice(words.numbers.language)
    firsts = [line[line["y"] <= fifth / 5].head(1) for fifth in _FIFTHS]
    is_named = rows["is_answer"] | (rows["n_changed"] == 0)
    is_named |= rows.index.isin(pd.concat(firsts).index)
    for index, row in rows.iterrows():
        said = words.say("smallest_protection_as_it_is")
        if row["n_changed"]:
            said = change_text(row, speaker)
        if row["is_answer"] and row["n_changed"]:
            said = words.say("smallest_protection_answer", change=said)
        label = f"{shares[index]}: {said}" if is_named[index] else ""
        is_release = row["n_changed"] == 0
        on_line, is_answer = row["on_frontier"], row["is_answer"]
        yield _Point(row["x"], row["y"], label, on_line, is_answer, is_release)


def _drawn(points: Sequence[_Point], words: Words) -> tuple[Figure, Axes]:
    """Draw nodes, the frontier as a line, and write beside those that are named."""
    figure, (axis,) = canvas(1, 1, _HEIGHT)
    line = [(point.loss, point.alone) for point in points if point.is_on]
    if line:
        losses, alone = zip(*line, strict=True)
        end = [*losses, 1], [*alone, alone[-1]]
        axis.step(*end, where="post", color=BLUE, linewidth=1.6)
        axis.scatter(losses, alone, s=9, color=BLUE, zorder=3)
    for point in points:
        if point.is_answer:
            axis.scatter(point.loss, point.alone, s=70, color=VERMILION, zorder=4)
    axis.set_xlim(-0.03, 1.02)
    as_percent(axis, words)
    axis.set_ylabel(words.say("smallest_protection_alone"))
    named = [point for point in points if point.label]
    _write(axis, sorted(named, key=lambda point: (point.alone, point.loss)))
    return figure, axis


@dataclass(frozen=True)
class _Label:
    """Lines beside a point, and how far up they begin and end."""

    point: _Point
    is_left: bool
    lines: Sequence[str]
    low: float
    height: float


def _labels(points: Sequence[_Point]) -> list[_Label]:
    """Return labels of points from below, each above the one before."""
    free, found = 0.0, []
    for point in points:
        is_left = point.loss > _RIGHT
        room = point.loss if is_left else 1 - point.loss - _BESIDE
        letters = int(_CHARACTERS * room * (_BOLD if point.is_answer else 1))
        lines = even_lines(point.label, min(_LONGEST, letters))
        height = _LINE * len(lines)
        # The line may go on level from the release.
        above = _LINE if is_left else _LINE / 4 if point.is_release else -height / 2
        low = max(free, point.alone + above)
        free = low + height + _LINE / 3
        found.append(_Label(point, is_left, lines, low, height))
    return found


def _fitting(points: Sequence[_Point]) -> list[_Label]:
    """Return labels that all fit: without some of the highest points between.

    The release and the answer are always named.
    """
    kept = [*points]
    between = [each for each in points if not (each.is_answer or each.is_release)]
    labels = _labels(kept)
    while between and labels[-1].low + labels[-1].height > _TOP:
        kept.remove(between.pop())
        labels = _labels(kept)
    return labels


def _write(axis: Axes, points: Sequence[_Point]) -> None:
    """Write labels beside their points."""
    for label in _fitting(points):
        point, is_left, low = label.point, label.is_left, label.low
        colour = DARK_VERMILION if point.is_answer else GREY
        axis.annotate(
            "\n".join(label.lines),
            (point.loss, point.alone),
            xytext=(point.loss + (0 if is_left else _BESIDE), low + label.height / 2),
            ha="right" if is_left else "left",
            va="center",
            color=colour,
            fontsize=_POINTS,
            weight="bold" if point.is_answer else "normal",
            linespacing=1.1,
            arrowprops={"arrowstyle": "-", "color": colour, **_LEADER},
        ).set_in_layout(False)


_LEADER: dict[str, Any] = {
    **{"linewidth": 0.6, "relpos": (0, 0.5)},
    **{"shrinkA": 1, "shrinkB": 4},
}
"""Lines from labels, of which the left end is nearest to their points."""
