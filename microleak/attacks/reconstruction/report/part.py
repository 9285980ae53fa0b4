"""What noisy counts give back of a database: a part of the page an analysis."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain

import pandas as pd

from microleak.attacks.reconstruction.figures import phase_diagrams, right_over_noise
from microleak.attacks.reconstruction.report.sentences import (
    heading,
    measured,
    sentences,
    undrawn,
)
from microleak.attacks.reconstruction.rows import (
    Rebuilt,
    answers_text,
    attack_text,
    law_text,
    noise_text,
    rebuilt,
    settings_text,
    short,
    with_formula,
)
from microleak.figures.numbers import Words
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import Drawing, Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice

DRAW: dict[str, Callable[[Rebuilt, Words], str]] = {
    "noise": right_over_noise,
    "phase": phase_diagrams,
}
"""Figures by their kind, in the order of the page."""


def kinds(shown: Rebuilt) -> tuple[str, ...]:
    """Return the kinds of figures that an analysis has; tables say the rest."""
    has = {"noise": bool(shown.panels), "phase": bool(shown.diagrams)}
    return tuple(kind for kind in DRAW if has[kind])


def reconstructions(families: TablesByKind) -> Iterator[tuple[str, Rebuilt]]:
    """Yield the tables of each analysis of rebuilt databases, with its name."""
    for name, results in families.get("reconstruction", {}).items():
        yield name, rebuilt(results, families["bad_points"][name])


def reconstruction_figures(
    name: str, shown: Rebuilt, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of one analysis of rebuilt databases.

    Random databases are of no release.
    """
    rows = shown.results
    drawn = set(zip(rows["table"], rows["release"], strict=True))
    is_synthetic = not drawn.isdisjoint(synthetic)
    for kind in kinds(shown):
        names, draw = ("reconstruction", name, kind), partial(DRAW[kind], shown)
        yield Undrawn(names, draw, is_synthetic)


_LIMITS = ("law", "n", "asked", "last_all", "first_none")
_ASKED = ("attack", "noise", "n", "queries", "bound", "noise_share")
_SETTINGS = (
    *_ASKED,
    *("whole", "right", "guess", "least", "claimed", "consistent", "proven", "without"),
)
_SHARES = ("share_right", "guess", "least_right", "share_claimed")
_ENDINGS = {
    "unsolved": "n_unsolved",
    "infeasible": "n_infeasible",
    "partial": "n_partial",
}


def limits_grid(shown: Rebuilt, voice: Voice) -> Grid:
    """Lay out where noise stops each attack, as shares of the square root of n."""
    return Grid(
        caption=voice.say("reconstruction.limits_caption"),
        headings=voice.columns("reconstruction", *_LIMITS),
        rows=tuple(_limit(row, voice) for _, row in shown.limits.iterrows()),
    )


def settings_grid(shown: Rebuilt, voice: Voice, is_folded: bool) -> Grid:
    """Lay out what each setting came to, with its formulas.

    Beside the entries right stands what is right without any answer, of all
    databases of as many entries.
    """
    settings = shown.settings
    settings = settings.assign(guess=settings["n_entries"].map(shown.guess))
    return Grid(
        caption=voice.say("reconstruction.settings_caption"),
        headings=voice.columns("reconstruction", *_SETTINGS),
        rows=tuple(_setting(row, voice) for _, row in settings.iterrows()),
        n_texts=5,
        is_folded=is_folded,
    )


def _limit(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    return (
        law_text(row, voice.words(is_synthetic=False)),
        *(voice.numbers.count(row[name]) for name in ("n_entries", "n_queries")),
        *(_share(row[name], voice) for name in ("last_all", "first_none")),
    )


def _share(share: float, voice: Voice) -> str:
    if pd.isna(share):
        return voice.say("reconstruction.none")
    return short(share, voice)


def _setting(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    counts = {name: numbers.count(row[name]) for name in ("n_exact", "n_tries")}
    return (
        *_asked(row, voice),
        voice.say("reconstruction.whole", **counts),
        *(numbers.share(row[name]) for name in _SHARES),
        *(numbers.count(row[name]) for name in ("n_consistent", "n_proven")),
        _endings(row, voice),
    )


def _asked(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    words = voice.words(is_synthetic=False)
    return (
        attack_text(row, words),
        answers_text(row, words),
        numbers.count(row["n_entries"]),
        with_formula(numbers.count(row["n_queries"]), row["queries"], voice),
        with_formula(short(row["error_bound"], voice), row["error"], voice),
        short(row["noise_share"], voice),
    )


def _endings(row: pd.Series, voice: Voice) -> str:
    """Say how attempts ended that do not claim every entry."""
    said = [
        voice.say(f"reconstruction.{key}_cell", number=voice.numbers.count(row[column]))
        for key, column in _ENDINGS.items()
        if row[column]
    ]
    return "; ".join(said) or voice.numbers.count(0)


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
            share=_share_of_points(totals, voice),
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
        headings=voice.columns("reconstruction", *_COLUMNS),
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
        _share_of_points(row, voice),
        count(row["n_points"] - row["n_bad"]),
        count(row["n_feasible"] - row["n_bad_feasible"]),
    )


def _share_of_points(row: pd.Series, voice: Voice) -> str:
    share = row["n_bad_feasible"] / row["n_points"]
    return voice.numbers.share(share)


def reconstruction_part(shown: Rebuilt, place: Place) -> Part:
    """Return the part of one analysis of rebuilt databases."""
    return (_of_points if shown.results.empty else _of_databases)(shown, place)


def reconstruction_words(shown: Rebuilt) -> tuple[str, ...]:
    """Name the words that a part uses: of attacks and noises its own."""
    if shown.results.empty:
        laws = shown.bad["noise"].unique()
        return ("setting", "formulas", *laws, "points", "table_3")
    own = [shown.results[name].unique() for name in ("attack", "noise")]
    claims = ("setting", "formulas", "right", "exact", "consistent", "proven", "status")
    return (*claims, "root", *chain.from_iterable(own), "times")


def _of_databases(shown: Rebuilt, place: Place) -> Part:
    voice = place.voice
    return place.part(
        kicker=f"kicker{'_random' * shown.is_random}",
        heading=heading(shown, voice),
        measured=measured(shown, voice),
        body=(
            Sentences(tuple(sentences(shown, voice))),
            *_drawings(shown, place),
            *_grids(shown, voice),
        ),
        downloads=place.downloads("reconstruction"),
    )


def _of_points(shown: Rebuilt, place: Place) -> Part:
    voice = place.voice
    return place.part(
        kicker="kicker_points",
        heading=points_heading(shown, voice),
        measured=measured_points(shown, voice),
        body=(
            Sentences(tuple(points_sentences(shown, voice))),
            points_grid(shown, voice),
        ),
        downloads=place.downloads("bad_points"),
    )


def _drawings(shown: Rebuilt, place: Place) -> Iterator[Drawing]:
    voice = place.voice
    is_part = len(shown.drawn_entries) < shown.results["n_entries"].nunique()
    for kind in kinds(shown):
        said = [f"caption_{kind}", *(["caption_largest"] if is_part else [])]
        texts = [voice.say(f"reconstruction.{key}") for key in said]
        yield place.drawing(kind, " ".join([*texts, *undrawn(shown, voice)]))


def _grids(shown: Rebuilt, voice: Voice) -> Iterator[Grid]:
    if len(shown.limits):
        yield limits_grid(shown, voice)
    yield settings_grid(shown, voice, is_folded=bool(kinds(shown)))


SHOWN = PartEach(
    "reconstruction",
    reconstructions,
    reconstruction_figures,
    reconstruction_part,
    reconstruction_words,
)
