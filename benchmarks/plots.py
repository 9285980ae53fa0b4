"""The page's figures: time over records, and over QIDs."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from benchmarks.process import FINISHED
from benchmarks.results import Found
from benchmarks.sample import all_subsets
from benchmarks.subject import SUBJECTS
from microleak.figures.svg import (
    BLUE,
    GREY,
    Caption,
    plain_layout,
    plain_style,
    svg_text,
)

Lines = Mapping[str, Sequence[tuple[float, float]]]
"""Sizes and seconds, by what took them."""


def over_records(run: Found) -> list[Found]:
    """Return microleak's series over records, ascending."""
    wanted = {"n_qids": run["n_study_qids"], "n_threads": run["n_threads"]}
    return _series(run, wanted, "n_records")


def over_qids(run: Found) -> list[Found]:
    """Return microleak's series over QIDs on the whole table, ascending."""
    wanted = {"n_records": run["n_records"], "n_threads": run["n_threads"]}
    return _series(run, wanted, "n_qids")


def _series(run: Found, wanted: Found, over: str) -> list[Found]:
    wanted |= {"memory_mib": run["profile_mib"]}
    found = (time for time in run["profiles"] if wanted.items() <= time.items())
    return sorted(found, key=lambda time: int(time[over]))


def records_figure(run: Found) -> str:
    """Return an SVG of seconds for all subsets over records, both logarithmic."""
    lines = {"microleak": _points(over_records(run), "n_records")}
    for peer in sorted(run["peers"], key=lambda peer: int(peer["n_records"])):
        if peer["status"] == FINISHED:
            point = (peer["n_records"], all_subsets(peer["seconds"]).total_s)
            lines.setdefault(peer["peer"], []).append(point)
    what = f"all {2 ** run['n_study_qids'] - 1:,} subsets"
    return _drawn(lines, "records", what, run)


def qids_figure(run: Found) -> str:
    """Return an SVG of seconds for all subsets over QIDs, seconds logarithmic."""
    own = _points(over_qids(run), "n_qids")
    lines = {"microleak": own}
    if own:
        (first, seconds), last = own[0], own[-1][0]
        doubled = [own[0], (last, seconds * 2 ** (last - first))]
        lines["twice for each QID"] = doubled
    return _drawn(lines, "QIDs", f"{run['n_records']:,} records", run)


def _points(times: Sequence[Found], over: str) -> list[tuple[float, float]]:
    return [(t[over], t["wall_s"]) for t in times if t["status"] == FINISHED]


def _drawn(lines: Lines, over: str, what: str, run: Found) -> str:
    records = SUBJECTS[run["subject"]].records
    with plain_style():
        figure = Figure((7.0, 4.5), layout=plain_layout())
        axis = figure.subplots()
        for (name, points), marker in zip(lines.items(), "osD^v<>PX", strict=False):
            xs, ys = zip(*points, strict=True) if points else ((), ())
            (line,) = axis.plot(xs, ys, "--", marker=marker, ms=4.5, label=name)
            line.set_color(GREY)
            if name == "microleak":
                line.set(color=BLUE, linewidth=2, linestyle="-")
        axis.set_yscale("log")
        axis.set_ylabel("seconds")
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.yaxis.set_minor_formatter(NullFormatter())
        sizes = sorted({size for points in lines.values() for size, _ in points})
        if over == "records":
            axis.set_xscale("log")
            axis.set_xticks(sizes, [f"{size / 1e6:.3g}" for size in sizes])
            axis.xaxis.set_minor_locator(NullLocator())
        else:
            axis.set_xticks(sizes)
        axis.set_xlabel("records (millions)" if over == "records" else over)
        axis.set_title(f"Seconds for {what} (synthetic {records})")
        figure.legend(loc="outside right center", frameon=False)
        caption = Caption(
            f"performance over {over}",
            f"Time over {over}, synthetic {records}",
            f"Seconds for all subsets over {over}, one line each: {', '.join(lines)}. "
            "The same figures stand in the page's tables.",
        )
        return svg_text(figure, caption)
