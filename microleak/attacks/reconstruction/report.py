"""What noisy counts give back of a database: a part of the page an analysis."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

import pandas as pd

from microleak.attacks.reconstruction.figures import phase_diagrams, right_over_noise
from microleak.attacks.reconstruction.rows import (
    LAW,
    Rebuilt,
    answers_text,
    attack_text,
    law_text,
    limits_of,
    noise_text,
    outliers_text,
    rebuilt,
)
from microleak.figures.numbers import Words
from microleak.records.record_filter import EQUALS, split_values
from microleak.report.families import Draw, EachAnalysis
from microleak.report.parts import Grid, GridColumn, Place
from microleak.report.texts import capital, predicate_text

DRAW: dict[str, Draw] = {"noise": right_over_noise, "phase": phase_diagrams}
"""Figures by their kind, in the order of the page."""

_ENDINGS = {
    "unsolved": "n_unsolved",
    "infeasible": "n_infeasible",
    "partial": "n_partial",
}
_POINTS = ["n_points", "n_bad", "n_feasible", "n_bad_feasible"]
_OF_POINTS = [
    *("n_entries", "queries", "n_queries", "error", "error_bound", "noise", "epsilon"),
    *("n_steps", "distance"),
]
"""Columns that the points of one row of the table share."""


# Table 3 (Nepomuceno, 3.3): entries, points, and those that are a, b, a & b.
_TABLE_3 = pd.DataFrame(
    [
        (5, 596_540_912, 594_206_989, 32_706_020, 2_283_410),
        (8, 296_305_303, 296_263_261, 0, 0),
    ],
    columns=["n_entries", *_POINTS],
)


def _drawings(shown: Rebuilt) -> dict[str, Draw]:
    if shown.results.empty:
        return {}
    has = {"noise": bool(shown.panels), "phase": bool(shown.diagrams)}
    return {kind: draw for kind, draw in DRAW.items() if has[kind]}


def _words_of(place: Place) -> Words:
    return place.voice.words(is_synthetic=False)


def _between(
    numbers: Iterable[float], write: Callable[[float], str], place: Place
) -> str:
    every = [*numbers]
    ends = [*dict.fromkeys(map(write, (min(every), max(every))))]
    return ends[0] if len(ends) == 1 else place.say("span", low=ends[0], high=ends[1])


def _counted(rows: pd.DataFrame, place: Place) -> dict[str, str]:
    numbers = place.voice.numbers
    return {
        "entries": _between(rows["n_entries"], numbers.count, place),
        "queries": _between(rows["n_queries"], numbers.count, place),
        "bounds": _between(rows["error_bound"], numbers.three_digits, place),
    }


def _measured(shown: Rebuilt, place: Place) -> Iterator[str]:
    if shown.results.empty:
        rows = shown.bad
        key = f"measured_points{'_one' if len(rows) == 1 else ''}"
        counts = {"n_points": int(rows["n_points"].sum()), "n_databases": len(rows)}
        yield place.say(key, **counts, **_counted(rows, place))
        return
    rows, words = shown.results, _words_of(place)
    yield place.say("measured", n_tries=len(rows), **_counted(rows, place))
    laws = [row for _, row in rows.drop_duplicates([*LAW]).iterrows()]
    attacks, noises = (
        "; ".join(dict.fromkeys(name(row, words) for row in laws))
        for name in (attack_text, answers_text)
    )
    yield place.say("measured_laws", attacks=attacks, noises=noises)
    assumed = rows["assumed_bound"]
    if (assumed != rows["error_bound"]).any():
        bounds = _between(assumed, place.voice.numbers.three_digits, place)
        yield place.say("measured_assumed", bounds=bounds)
    row = shown.database
    if shown.is_random:
        yield place.say("measured_random", row)
    else:
        values = split_values(row["value"])
        predicate = predicate_text(EQUALS, values, place.voice, row["attribute"])
        yield place.say("measured_drawn", row, predicate=predicate)


def _heading(shown: Rebuilt, place: Place) -> str:
    if shown.results.empty:
        return place.say("heading_points", shown.bad[_POINTS].sum())
    found = _rebuilt(shown, place)
    if shown.is_random:
        return found
    return place.say("heading_guess", heading=found, guess=_guess(shown, place))


def _rebuilt(shown: Rebuilt, place: Place) -> str:
    told = shown.told
    if told is None:
        n_exact = int(shown.settings["n_exact"].sum())
        key = f"heading_{'some' if n_exact else 'none'}"
        return place.say(key, n_exact=n_exact, n_tries=len(shown.results))
    words = _words_of(place)
    noise = "" if told["error_bound"] > 0 else "_exact"
    number = "_one" if told["n_tries"] == 1 else ""
    how, outliers = attack_text(told, words), ""
    if told["error_bound"]:
        how = f"{how}; {noise_text(told, words)}"
    if told["outliers"]:
        outliers = place.say("heading_outliers", share=outliers_text(told, words))
    key = f"heading_all{noise}{number}"
    return place.say(key, told, how=how, outliers=outliers)


def _guess(shown: Rebuilt, place: Place) -> str:
    told, every = shown.told, shown.results["n_entries"].unique()
    sizes = every if told is None else [told["n_entries"]]
    return _between(map(shown.guess, sizes), place.voice.numbers.share, place)


def _sentences(shown: Rebuilt, place: Place) -> Iterator[str]:
    """Yield the further findings; of persons the heading has what needs no answer."""
    if shown.results.empty:
        totals = shown.bad.groupby("n_entries")[_POINTS].sum().reset_index()
        for _, row in _with_good(totals).iterrows():
            yield place.say("points", row)
        return
    settings, words = shown.settings, _words_of(place)
    for _, several in settings.groupby("attack", sort=False):
        counts = several[["n_tries", "n_exact", "n_consistent", "n_proven"]].sum()
        attack = capital(attack_text(several.iloc[0], words))
        yield place.say("attack", counts, attack=attack)
    if shown.told is None:
        best = settings.loc[settings["share_right"].idxmax()]
        guess = place.voice.numbers.share(shown.guess(best["n_entries"]))
        yield place.say("best", best, law=law_text(best, words), guess=guess)
    elif shown.is_random:
        yield place.say("guess", guess=_guess(shown, place))
    for curve in _stopped(shown.panels).values():
        yield _stop(curve, place)
    for key, counts in _endings(settings).items():
        if number := int(counts.sum()):
            yield place.say(key, number=number)
    if not shown.panels:
        yield place.say("no_figure")


def _stopped(panels: list[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    found: dict[str, pd.DataFrame] = {}
    for curve in (p[p["n_queries"] == p["n_queries"].max()] for p in panels):
        if not (curve["n_exact"] == curve["n_tries"]).all():
            found.setdefault(str(curve["attack"].iloc[0]), curve)
    return found


def _stop(curve: pd.DataFrame, place: Place) -> str:
    row, limits = curve.iloc[0], limits_of(curve)
    last, first = (
        place.say(f"{kind}{'_none' if pd.isna(share) else ''}", share=share)
        for kind, share in limits.items()
    )
    law = capital(law_text(row, _words_of(place)))
    return place.say("stop", row, law=law, last=last, first=first)


def _endings(settings: pd.DataFrame) -> dict[str, pd.Series]:
    is_enough = settings["assumed_bound"] >= settings["error_bound"]
    is_within = is_enough & (settings["outliers"] == 0)
    within, beyond = settings[is_within], settings[~is_within]
    return {
        "misled": within["n_misled"],
        "misled_outliers": beyond["n_misled"],
        "proven": within["n_proven"],
        "proven_wrong": beyond["n_refuted"],
        **{key: settings[column] for key, column in _ENDINGS.items()},
    }


def _caption(shown: Rebuilt, kind: str, place: Place) -> str:
    said = [place.say(f"caption_{kind}")]
    if len(shown.drawn_entries) < shown.results["n_entries"].nunique():
        said.append(place.say("caption_largest"))
    if shown.undrawn:
        words = _words_of(place)
        laws = "; ".join(law_text(panel.iloc[0], words) for panel in shown.undrawn)
        said.append(place.say("caption_undrawn", laws=laws))
    return " ".join(said)


def _grids(shown: Rebuilt, place: Place) -> Iterator[Grid]:
    if shown.results.empty:
        yield _points(shown.bad, place)
        return
    if len(shown.limits):
        words, none = _words_of(place), place.say("none")
        columns: list[GridColumn] = [
            ("law", lambda row: law_text(row, words)),
            *("n_entries", "n_queries"),
            *("last_all:three_digits", "first_none:three_digits"),
        ]
        yield place.grid(shown.limits, columns, "caption_limits", missing=none)
    yield _settings(shown, place)


def _settings(shown: Rebuilt, place: Place) -> Grid:
    words, settings = _words_of(place), shown.settings
    rows = settings.assign(guess=settings["n_entries"].map(shown.guess))
    columns: list[GridColumn] = [
        ("attack", lambda row: attack_text(row, words)),
        ("noise", lambda row: answers_text(row, words)),
        *_sized(place),
        "noise_share:three_digits",
        ("whole", partial(place.say, "whole")),
        *("share_right:share", "guess:share", "least_right:share"),
        *("share_claimed:share", "n_consistent:count", "n_proven:count"),
        ("without", lambda row: _unclaimed(row, place)),
    ]
    is_folded = bool(_drawings(shown))
    return place.grid(rows, columns, "caption_settings", n_texts=5, is_folded=is_folded)


def _sized(place: Place) -> list[GridColumn]:
    numbers = place.voice.numbers

    def with_formula(value: str, formula: str) -> str:
        if formula == value:
            return value
        return place.say("formula", value=value, formula=formula)

    def queries(row: pd.Series) -> str:
        return with_formula(numbers.count(row["n_queries"]), row["queries"])

    def bound(row: pd.Series) -> str:
        return with_formula(numbers.three_digits(row["error_bound"]), row["error"])

    return ["n_entries", ("queries", queries), ("bound", bound)]


def _unclaimed(row: pd.Series, place: Place) -> str:
    said = [
        place.say(f"{key}_cell", number=row[column])
        for key, column in _ENDINGS.items()
        if row[column]
    ]
    return "; ".join(said) or "0"


def _points(bad: pd.DataFrame, place: Place) -> Grid:
    """Lay out the points by kind with every parameter, and Table 3 as printed."""
    groups = bad.groupby(_OF_POINTS, sort=False, dropna=False)
    ours = groups[_POINTS].sum().assign(n_databases=groups.size()).reset_index()
    table_3 = _TABLE_3[_TABLE_3["n_entries"].isin(ours["n_entries"])]
    words, unstated = _words_of(place), place.say("unstated")
    by_us: list[GridColumn] = [
        ("noise", lambda row: noise_text(row, words)),
        *_sized(place),
        *("n_steps", "distance:three_digits", "n_databases:count"),
    ]
    by_all = [*_POINTS, "share:share", "n_good:count", "n_good_feasible:count"]
    key = "caption_points"
    grid = place.grid(_with_good(ours), [*by_us, *by_all], key)
    as_printed = place.grid(_with_good(table_3), ["n_entries", *by_all], key)
    others = (
        (place.say("printed"), n, *[unstated] * 5, *counts)
        for n, *counts in as_printed.rows
    )
    return replace(grid, rows=(*grid.rows, *others))


def _with_good(points: pd.DataFrame) -> pd.DataFrame:
    return points.assign(
        share=points["n_bad_feasible"] / points["n_points"],
        n_good=points["n_points"] - points["n_bad"],
        n_good_feasible=points["n_feasible"] - points["n_bad_feasible"],
    )


def _words(shown: Rebuilt) -> tuple[str, ...]:
    """Name the words that a part uses: of attacks and noises its own."""
    if shown.results.empty:
        laws = shown.bad["noise"].unique()
        return ("setting", "formulas", *laws, "points", "table_3")
    own = [shown.results[name].unique() for name in ("attack", "noise")]
    claims = ("setting", "formulas", "right", "exact", "consistent", "proven", "status")
    return (*claims, "root", *chain.from_iterable(own), "times")


def _kicker(shown: Rebuilt) -> str:
    if shown.results.empty:
        return "kicker_points"
    return f"kicker{'_random' * shown.is_random}"


SHOWN = EachAnalysis(
    "reconstruction",
    tables=("reconstruction", "bad_points"),
    found=rebuilt,
    kicker=_kicker,
    heading=_heading,
    measured=_measured,
    drawings=_drawings,
    caption=_caption,
    releases=lambda shown: zip(
        shown.results["table"], shown.results["release"], strict=True
    ),
    sentences=_sentences,
    grids=_grids,
    words=_words,
)
