"""The page's figures: time over records, and over QIDs."""

import math
from collections.abc import Iterator, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from benchmarks.comparison import comparisons, over_qids, over_records
from benchmarks.process import FINISHED
from benchmarks.results import ProfileTime, Run
from benchmarks.subject import SUBJECTS
from microleak.figures.svg import (
    BLUE,
    GREY,
    Caption,
    plain_layout,
    plain_style,
    svg_text,
)

_SIZE = (7.0, 4.5)
_MARKERS = "sD^v<>Ph"
_LEAST_GAP = 0.055
"""Between labels, as a share of the axis's height."""

Points = Sequence[tuple[float, float]]
Ends = Mapping[str, tuple[float, float]]


def records_figure(run: Run) -> str:
    """Return an SVG of seconds for all subsets over records, both logarithmic."""
    with plain_style():
        figure = Figure(_SIZE, layout=plain_layout())
        axis = figure.subplots()
        lines = {"microleak": _points(over_records(run), "n_records"), **_peers(run)}
        axis.set_xscale("log")
        axis.set_xlabel("records (millions)")
        sizes = sorted({records for points in lines.values() for records, _ in points})
        axis.set_xticks(sizes, [f"{size / 1e6:.3g}" for size in sizes])
        axis.xaxis.set_minor_locator(NullLocator())
        _draw(axis, lines)
        axis.set_title(_title(f"all {2**run.n_study_qids - 1:,} subsets", run))
        return svg_text(figure, _caption("records", lines, run))


def qids_figure(run: Run) -> str:
    """Return an SVG of seconds for all subsets over QIDs, seconds logarithmic."""
    with plain_style():
        figure = Figure(_SIZE, layout=plain_layout())
        axis = figure.subplots()
        own = _points(over_qids(run), "n_qids")
        lines = {"microleak": own}
        if own:
            (first, seconds), last = own[0], own[-1][0]
            lines["twice for each QID"] = [
                (first, seconds),
                (last, seconds * 2 ** (last - first)),
            ]
        axis.set_xlabel("QIDs")
        axis.set_xticks([qids for qids, _ in own])
        _draw(axis, lines)
        axis.set_title(_title(f"{run.n_records:,} records", run))
        return svg_text(figure, _caption("QIDs", lines, run))


def _title(what: str, run: Run) -> str:
    return f"Seconds for {what} (synthetic {SUBJECTS[run.subject].records})"


def _caption(over: str, lines: dict[str, Points], run: Run) -> Caption:
    return Caption(
        f"performance over {over}",
        f"Time over {over}, synthetic {SUBJECTS[run.subject].records}",
        f"Seconds for all subsets over {over}, one line each: {', '.join(lines)}. "
        "The same figures stand in the page's tables.",
    )


def _points(times: Sequence[ProfileTime], over: str) -> Points:
    return [
        (getattr(time, over), time.wall_s) for time in times if time.status == FINISHED
    ]


def _peers(run: Run) -> dict[str, Points]:
    points: dict[str, list[tuple[float, float]]] = {}
    for found in comparisons(run):
        if found.total:
            at = (found.peer.n_records, found.total.total_s)
            points.setdefault(found.peer.peer, []).append(at)
    return {peer: sorted(found) for peer, found in points.items()}


def _draw(axis: Axes, lines: dict[str, Points]) -> None:
    """Draw lines with their names at their ends, microleak's in colour."""
    drawn = {name: points for name, points in lines.items() if points}
    axis.set_yscale("log")
    axis.set_ylabel("seconds")
    for (name, points), marker in zip(drawn.items(), "o" + _MARKERS, strict=False):
        xs, ys = zip(*points, strict=True)
        is_own = name == "microleak"
        style = {"color": BLUE, "lw": 2} if is_own else {"color": GREY, "ls": "--"}
        axis.plot(xs, ys, marker=marker, ms=4.5, **style)
    axis.yaxis.set_major_locator(LogLocator(subs=_steps(axis)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
    ends = {name: points[-1] for name, points in drawn.items()}
    last = max(x for x, _ in ends.values())
    _name(axis, {name: end for name, end in ends.items() if end[0] == last})
    _name_beside(axis, {name: end for name, end in ends.items() if end[0] < last})


def _steps(axis: Axes) -> tuple[float, ...]:
    """Return which multiples of the powers of ten are written at the axis."""
    low, high = axis.get_ylim()
    return (1.0,) if high / low > 1000 else (1.0, 2.0, 5.0)


def _name(axis: Axes, ends: Ends) -> None:
    """Write names right of the axis, apart from one another, beside their lines."""
    for name, height in _heights(axis, ends):
        axis.annotate(
            name,
            xy=ends[name],
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            color=BLUE if name == "microleak" else GREY,
            arrowprops={"arrowstyle": "-", "color": GREY, "lw": 0.4},
        )


def _name_beside(axis: Axes, points: Ends) -> None:
    """Write the names of lines that end early right beside their ends."""
    for name, height in _heights(axis, points):
        axis.text(
            points[name][0] * 1.12,
            height,
            name,
            transform=axis.get_xaxis_transform(),
            va="center",
            color=GREY,
            bbox={"color": "white", "pad": 0.5},
        )


def _heights(axis: Axes, ends: Ends) -> Iterator[tuple[str, float]]:
    """Yield where names stand, as shares of the axis's height, from below."""
    low, high = map(math.log, axis.get_ylim())
    lowest = -math.inf
    for name, (_, seconds) in sorted(ends.items(), key=lambda end: end[1][1]):
        height = (math.log(seconds) - low) / (high - low)
        lowest = max(height, lowest + _LEAST_GAP)
        yield name, lowest
