"""Points far from the database that all answers allow, beside Table 3 as printed."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import pandas as pd

from microleak.figures.reconstruction_rows import Rebuilt
from microleak.figures.reconstruction_text import noise_text
from microleak.report.parts import Grid
from microleak.report.reconstruction_words import settings_text, short, with_formula
from microleak.report.texts import Voice

_SETTING = [
    *("n_entries", "queries", "n_queries", "error", "error_bound", "noise", "epsilon"),
    *("n_steps", "distance"),
]
_COUNTS = ["n_points", "n_bad", "n_feasible", "n_bad_feasible"]
_COLUMNS = (
    *("noise", "n", "queries", "bound", "steps", "distance", "databases"),
    *("points", "bad", "feasible", "bad_feasible", "share", "good", "good_feasible"),
)


@dataclass(frozen=True)
class _Printed:
    """A row of Table 3 (Nepomuceno, 3.3): points, and those that are a, b, a & b."""

    n_entries: int
    n_points: int
    n_bad: int
    n_feasible: int
    n_bad_feasible: int


_TABLE_3 = (
    _Printed(5, 596_540_912, 594_206_989, 32_706_020, 2_283_410),
    _Printed(8, 296_305_303, 296_263_261, 0, 0),
)


def measured_points(shown: Rebuilt, voice: Voice) -> tuple[str, ...]:
    """Say how many points were drawn, of which grids."""
    rows = shown.bad
    number = "_one" if len(rows) == 1 else ""
    return (
        voice.say(
            f"reconstruction.measured_points{number}",
            analysis=str(rows["analysis"].iloc[0]),
            n_points=voice.numbers.count(rows["n_points"].sum()),
            n_databases=voice.numbers.count(len(rows)),
            **settings_text(rows, voice),
        ),
    )


def points_heading(shown: Rebuilt, voice: Voice) -> str:
    """Say how many points are bad and feasible, of all that were drawn."""
    totals = shown.bad[_COUNTS].sum()
    counts = {name: voice.numbers.count(totals[name]) for name in _COUNTS}
    return voice.say("reconstruction.heading_points", **counts)


def points_sentences(shown: Rebuilt, voice: Voice) -> Iterator[str]:
    """Yield what share of the points is bad and feasible, by number of entries."""
    for n, totals in shown.bad.groupby("n_entries")[_COUNTS].sum().iterrows():
        yield voice.say(
            "reconstruction.points",
            n=voice.numbers.count(n),
            share=_share(totals, voice),
            **{name: voice.numbers.count(totals[name]) for name in _COUNTS},
        )


def points_grid(shown: Rebuilt, voice: Voice) -> Grid:
    """Lay out the points by kind with every parameter, and Table 3 as printed."""
    groups = shown.bad.groupby(_SETTING, sort=False, dropna=False)
    ours = groups[_COUNTS].sum().assign(n_databases=groups.size()).reset_index()
    sizes = set(ours["n_entries"])
    printed = [row for row in _TABLE_3 if row.n_entries in sizes]
    return Grid(
        caption=voice.say("reconstruction.points_caption"),
        headings=tuple(voice.say(f"reconstruction.column_{name}") for name in _COLUMNS),
        rows=(
            *(_ours(row, voice) for _, row in ours.iterrows()),
            *(_printed(row, voice) for row in printed),
        ),
    )


def _ours(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    return (
        noise_text(row, voice.words(is_synthetic=False)),
        numbers.count(row["n_entries"]),
        with_formula(numbers.count(row["n_queries"]), row["queries"], voice),
        with_formula(short(row["error_bound"], voice), row["error"], voice),
        numbers.count(row["n_steps"]),
        short(row["distance"], voice),
        numbers.count(row["n_databases"]),
        *_counted(row, voice),
    )


def _printed(row: _Printed, voice: Voice) -> tuple[str, ...]:
    unstated = voice.say("reconstruction.unstated")
    return (
        voice.say("reconstruction.printed"),
        voice.numbers.count(row.n_entries),
        *[unstated] * 5,
        *_counted(pd.Series(asdict(row)), voice),
    )


def _counted(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    """Write the counts of Table 3, and what follows from them of good points."""
    count = voice.numbers.count
    return (
        *(count(row[name]) for name in _COUNTS),
        _share(row, voice),
        count(row["n_points"] - row["n_bad"]),
        count(row["n_feasible"] - row["n_bad_feasible"]),
    )


def _share(row: pd.Series, voice: Voice) -> str:
    share = row["n_bad_feasible"] / row["n_points"]
    return voice.numbers.share(share)
