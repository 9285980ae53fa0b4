"""The figure of a search: how many are alone over what is lost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.attacks.smallest_protection.shown import (
    SearchShown,
    change_text,
    kind_of_loss,
    loss_text,
    lost_text,
)
from microleak.figures import svg
from microleak.figures.numbers import Words
from microleak.figures.scales import percent_labels
from microleak.report.texts import speaker_of

_HEIGHT = 4.4  # In inches

_FIFTHS = (4, 3, 2, 1, 0)
"""Fifths of the people: of what leaves no more alone, that which loses least is named.
"""

_LINE, _POINTS = 0.046, 9.4
"""Height of a line of a label, as a share of the scale, and size of its letters."""

_CHARACTERS, _BOLD, _WIDE = 51, 0.8, 0.9
"""Letters that the scale of losses has room for, and the share of bold and wide ones.
"""

_LABEL = 42  # Letters of a line below the scale of losses
_LONGEST = 36  # Letters of a line of a label, where there is room

_BESIDE = 0.06
"""How far right of its point a label stands, as a share of the scale of losses."""

_NEAR = 0.03  # How far left of its point, where it is below the line
_GAP = _LINE / 2  # Between a label and the line, as a share of the people
_TOP = 1.08  # How far up labels may reach, as a share of the people


def draw_frontier(shown: SearchShown, words: Words) -> str:
    """Draw how many are alone over what is lost, as an `<svg>`."""
    # The line goes through the nodes with fewer alone than any of no more loss. Named
    # are the release, the smallest protection, and of the other nodes those that first
    # leave no more than four, three, two and one fifth alone, and nobody.
    kind = kind_of_loss(shown.answer)
    # Of what all nodes can lose wholly, the largest loss is 1.
    is_whole = kind in {"information", "cells"}
    widest = 1.0 if is_whole else float(shown.nodes["loss"].max()) or 1.0
    rows = shown.nodes[shown.nodes["on_frontier"] | shown.nodes["is_answer"]]
    rows = pd.concat([shown.nodes.loc[[shown.as_it_is.name]], rows])
    rows = rows[~rows.index.duplicated()]
    points = _points(rows.assign(x=rows["loss"] / widest), words)
    with svg.plain_style():
        figure, axis = _drawn([*points], words)
        _scale_losses(axis, kind, widest, words)
        names = "smallest_protection", "frontier"
        return svg.analysis_svg(figure, names, shown.nodes, _told(shown, words), words)


def _told(shown: SearchShown, words: Words) -> tuple[str, list[str]]:
    """Return the title, what the smallest change brings, and a description."""
    answer = shown.answer
    told = {"before": shown.as_it_is["share_alone"], "after": answer["share_alone"]}
    kept = "" if answer["n_changed"] else "_none"
    left = "" if kept or answer["n_alone"] else "_nobody"
    lost = lost_text(answer, words.say, "smallest_protection_lost", words.numbers)
    return (
        words.say(f"smallest_protection_found{kept}{left}", **told),
        [words.say(f"smallest_protection_alt{kept}", **told, lost=lost)],
    )


def _scale_losses(axis: Axes, kind: str, widest: float, words: Words) -> None:
    ticks = [quarter / 4 for quarter in range(5)]
    said = (
        percent_labels(ticks, words)
        if widest == 1
        else [loss_text(kind, tick * widest, words.numbers) for tick in ticks]
    )
    axis.set_xticks(ticks, said)
    label = svg.even_lines(words.say(f"smallest_protection_{kind}"), _LABEL)
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


def _points(rows: pd.DataFrame, words: Words) -> Iterator[_Point]:
    line, speaker = rows[rows["on_frontier"]], speaker_of(words)
    firsts = [line[line["share_alone"] <= fifth / 5].head(1) for fifth in _FIFTHS]
    is_named = rows["is_answer"] | (rows["n_changed"] == 0)
    is_named |= rows.index.isin(pd.concat(firsts).index)
    for index, row in rows.iterrows():
        said = words.say("smallest_protection_as_it_is")
        if row["n_changed"]:
            said = change_text(row, speaker)
        if row["is_answer"] and row["n_changed"]:
            said = words.say("smallest_protection_answer", change=said)
        share = words.numbers.share(row["share_alone"])
        label = f"{share}: {said}" if is_named[index] else ""
        is_release = row["n_changed"] == 0
        on_line, is_answer = row["on_frontier"], row["is_answer"]
        yield _Point(
            row["x"], row["share_alone"], label, on_line, is_answer, is_release
        )


def _drawn(points: Sequence[_Point], words: Words) -> tuple[Figure, Axes]:
    figure, (axis,) = svg.canvas(1, 1, _HEIGHT)
    line = [(point.loss, point.alone) for point in points if point.is_on]
    if line:
        losses, alone = zip(*line, strict=True)
        end = [*losses, 1], [*alone, alone[-1]]
        axis.step(*end, where="post", color=svg.BLUE, linewidth=1.6)
        axis.scatter(losses, alone, s=9, color=svg.BLUE, zorder=3)
    for point in points:
        if point.is_answer:
            axis.scatter(point.loss, point.alone, s=70, color=svg.VERMILION, zorder=4)
    axis.set_xlim(-0.03, 1.02)
    svg.as_percent(axis, words)
    axis.set_ylabel(words.say("smallest_protection_alone"))
    _write(axis, points)
    return figure, axis


@dataclass(frozen=True)
class _Label:
    """Lines that begin at a loss, and how far up they begin and end."""

    point: _Point
    left: float
    lines: Sequence[str]
    low: float

    @property
    def width(self) -> float:
        """How much of the scale of losses it takes, of wide letters."""
        return max(map(len, self.lines)) / (_WIDE * _letters(self.point))

    @property
    def high(self) -> float:
        return self.low + _LINE * len(self.lines)

    @property
    def above(self) -> float:
        """Where the next one may begin."""
        return self.high + _LINE / 3

    @property
    def nearest(self) -> tuple[float, float]:
        """Which of its places is nearest to the point, as shares of it."""
        # Its left or right end or, over the point, what is above that.
        if self.left > self.point.loss:
            return 0, 0.5
        if self.left + self.width < self.point.loss:
            return 1, 0.5
        return (self.point.loss - self.left) / self.width, 0


def _letters(point: _Point) -> float:
    """Return how many letters of its label the scale of losses has room for."""
    return _CHARACTERS * (_BOLD if point.is_answer else 1)


def _line_at(points: Sequence[_Point], loss: float) -> float:
    """Return how high the line is at a loss; nothing is in the way where it is not."""
    return min((p.alone for p in points if p.is_on and p.loss <= loss), default=-1.0)


def _labels(named: Sequence[_Point], points: Sequence[_Point]) -> list[_Label]:
    """Return labels of points from below, which the line through all does not cross."""
    # They stand right of their points, each above the one before. One that has no room
    # there, without a break in a word, stands left of its point below the line; and if
    # there is none either, above the line as far right as it can.
    free, free_below = 0.0, 0.0
    found = []
    for point in named:
        widest = int(_WIDE * _letters(point))
        longest = min(max(map(len, point.label.split())), widest)
        room = int(_letters(point) * (1 - point.loss - _BESIDE))
        if room >= longest:
            label = _right_of(point, min(_LONGEST, room), free, points)
        elif below := _below(point, longest, free_below, points):
            free_below = below.above
            found.append(below)
            continue
        else:
            label = _over(point, longest, free, points)
        free = label.above
        found.append(label)
    return found


def _right_of(
    point: _Point, room: int, free: float, points: Sequence[_Point]
) -> _Label:
    left, lines = point.loss + _BESIDE, svg.even_lines(point.label, room)
    # The line may go on level from the release.
    beside = _LINE / 4 if point.is_release else -_LINE * len(lines) / 2
    over = _line_at(points, left) + _LINE / 4
    return _Label(point, left, lines, max(free, point.alone + beside, over))


def _below(
    point: _Point, longest: int, free: float, points: Sequence[_Point]
) -> _Label | None:
    """Return a label between the axes and the line, if there is room."""
    right = point.loss - _NEAR
    room = min(_LONGEST, int(_WIDE * _letters(point) * right))
    if room < longest:
        return None
    lines = svg.even_lines(point.label, room)
    height = _LINE * len(lines)
    highest = _line_at(points, right) - _GAP - height
    label = _Label(point, 0, lines, max(free, min(point.alone - height / 2, highest)))
    return replace(label, left=right - label.width) if label.low <= highest else None


def _over(point: _Point, longest: int, free: float, points: Sequence[_Point]) -> _Label:
    """Return the label above the line that ends lowest, up to the figure's end."""
    found = []
    for letters in range(longest, max(longest, _LONGEST) + 1):
        label = _Label(point, 0, svg.even_lines(point.label, letters), 0)
        left = max(0.0, 1 - label.width)
        over = max(point.alone + _LINE, _line_at(points, left) + _GAP)
        found.append(replace(label, left=left, low=max(free, over)))
    return min(found, key=lambda label: (label.high, label.width))


def _fitting(points: Sequence[_Point]) -> list[_Label]:
    """Return labels that all fit: without some of the highest between."""
    # The release and the answer are always named.
    named = [point for point in points if point.label]
    named.sort(key=lambda point: (point.alone, point.loss))
    labels = _labels(named, points)
    while max(label.high for label in labels) > _TOP:
        between = [e for e in labels if not (e.point.is_answer or e.point.is_release)]
        if not between:
            break
        named.remove(max(between, key=lambda label: label.high).point)
        labels = _labels(named, points)
    return labels


def _write(axis: Axes, points: Sequence[_Point]) -> None:
    for label in _fitting(points):
        point = label.point
        colour = svg.DARK_VERMILION if point.is_answer else svg.GREY
        is_right = label.left > point.loss
        end = label.left + (0 if is_right else label.width)
        axis.annotate(
            "\n".join(label.lines),
            (point.loss, point.alone),
            xytext=(end, (label.low + label.high) / 2),
            ha="left" if is_right else "right",
            va="center",
            multialignment="left",
            color=colour,
            fontsize=_POINTS,
            weight="bold" if point.is_answer else "normal",
            linespacing=1.1,
            arrowprops={"color": colour, "relpos": label.nearest, **_LEADER},
        ).set_in_layout(False)


_LEADER: dict[str, Any] = {
    **{"arrowstyle": "-", "linewidth": 0.6},
    **{"shrinkA": 1, "shrinkB": 4},
}
