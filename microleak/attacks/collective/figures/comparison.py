"""The adversary's success on the releases of a table, side by side."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from microleak.attacks.collective.figures.success import (
    attack_of,
    criterion_text,
    describe_axis,
)
from microleak.definitions.profile import CRITERIA
from microleak.figures.marks import LineEnd, write_ends
from microleak.figures.numbers import Words
from microleak.figures.svg import (
    BLUE,
    VERMILION,
    Caption,
    canvas,
    captioned,
    marked_svg,
    plain_style,
)
from microleak.tables import rows as tables

_OLDER = [BLUE, "#009E73", "#CC79A7", "#56B4E9", "black", "#E69F00"]
"""Okabe and Ito's other colours, the newest release but one first."""

_MARKERS = "s^Dv<>"


def worst_pairs(rows: pd.DataFrame, releases: Sequence[str]) -> pd.DataFrame:
    """Return the comparisons of one subset of each size, the worst of those compared.

    It is the worst by the probabilistic posterior on the last release that any of
    its size is compared on; among equals by the deterministic one, then the first.
    """
    names = rows["qids"].map(lambda qids: frozenset(qids.split("|")))
    place = rows["later"].map(list(releases).index)
    worst = ["place", "posterior_prob_later", "posterior_det_later"]
    ordered = rows.assign(names=names, place=place).sort_values(worst, ascending=False)
    chosen = set(ordered.groupby("n_qids").head(1)["names"])
    return rows[names.map(chosen.__contains__)]


def compared_releases(rows: pd.DataFrame, releases: Sequence[str]) -> list[str]:
    """Return the releases that some rows compare, in the order of the study file."""
    found = {*rows["earlier"], *rows["later"]}
    return [release for release in releases if release in found]


def success_of_releases(
    rows: pd.DataFrame, releases: Sequence[str], words: Words
) -> str:
    """Draw the success on each release of a table over the number of QIDs known.

    One row of axes for re-identification and for each sensitive attribute,
    deterministic on the left and probabilistic on the right; one line a release,
    the newest in another colour.
    """
    subjects = {
        name: worst_pairs(part, releases)
        for name, part in tables.by_subject(rows).items()
    }
    with plain_style():
        cells = [(subject, criterion) for subject in subjects for criterion in CRITERIA]
        figure, axes = canvas(len(cells), 2, 0.5 + 3.6 * len(subjects))
        compared = compared_releases(pd.concat(subjects.values()), releases)
        for axis, (subject, criterion) in zip(axes, cells, strict=True):
            lines = posteriors(subjects[subject], compared, CRITERIA[criterion])
            _draw_lines(axis, lines, compared)
            describe_axis(axis, rows["n_qids"], (0.5, 0.5), words)
            _name_lines(axis, lines)
            name = f": {words.attribute(subject)}" if subject else ""
            what = criterion_text(subject, criterion, words)
            axis.set_title(f"{what}{name}")
        return marked_svg(figure, _caption(subjects, rows, releases, words), words)


def posteriors(
    pairs: pd.DataFrame, releases: Sequence[str], kind: str
) -> dict[str, pd.Series]:
    """Return the posterior on each compared release, by the number of QIDs."""
    sizes = sorted(pairs["n_qids"].unique())
    found = {}
    for release in compared_releases(pairs, releases):
        both = [
            pairs[pairs[side] == release].set_index("n_qids")[
                f"posterior_{kind}_{side}"
            ]
            for side in ("earlier", "later")
        ]
        values = pd.concat(both).astype("float64")
        found[release] = values[~values.index.duplicated()].reindex(sizes)
    return found


def _draw_lines(
    axis: Axes, lines: dict[str, pd.Series], compared: Sequence[str]
) -> None:
    for release, values in lines.items():
        age = len(compared) - 1 - compared.index(release)
        older = (age - 1) % len(_OLDER)
        axis.plot(
            values.index.to_numpy(dtype=float),
            values.to_numpy(),
            linewidth=1.4 if age == 0 else 1,
            color=_OLDER[older] if age else VERMILION,
            marker=_MARKERS[older] if age else "o",
            # Hollow and larger, an older release is seen behind an equal newer one.
            markerfacecolor="white" if age else VERMILION,
            markersize=8 if age else 4.5,
        )


def _name_lines(axis: Axes, lines: dict[str, pd.Series]) -> None:
    """Name each release beside its last value; without a value it has no name.

    One whose line ends before others do is named there.
    """
    known = {name: of.dropna() for name, of in lines.items() if of.notna().any()}
    places = {
        name: (float(of.index[-1]), float(of.iloc[-1])) for name, of in known.items()
    }
    furthest = max((x for x, _ in places.values()), default=0)
    ends = [
        LineEnd(at, name, "black") for name, at in places.items() if at[0] == furthest
    ]
    write_ends(axis, ends)
    for name, place in places.items():
        if place[0] < furthest:
            axis.annotate(name, place, xytext=(8, -9), textcoords="offset points")


def _caption(
    subjects: dict[str, pd.DataFrame],
    rows: pd.DataFrame,
    releases: Sequence[str],
    words: Words,
) -> Caption:
    table = rows["table"].iloc[0]
    sentences = [
        words.say(
            "comparison_alt",
            sensitive=subject,
            criterion=words.say(criterion),
            n_qids=int(pairs["n_qids"].max()),
            shares=", ".join(_shares(pairs, releases, kind, words)),
        )
        for subject, pairs in subjects.items()
        for criterion, kind in CRITERIA.items()
    ]
    found = _found(next(iter(subjects.values())), releases, words)
    return captioned(("comparison", table), found, sentences, words)


def _found(pairs: pd.DataFrame, releases: Sequence[str], words: Words) -> str:
    """Write what the newest two releases give away with certainty, with most QIDs.

    With as many as both are measured with.
    """
    lines = pd.DataFrame(posteriors(pairs, releases, "det"))
    newest = lines.dropna(axis="columns", how="all").iloc[:, -2:].dropna()
    earlier, later = newest.columns
    ends = newest.iloc[-1]
    return words.say(
        f"{attack_of(pairs)}_comparison_found",
        n_qids=int(pairs["n_qids"].max()),
        earlier=earlier,
        later=later,
        earlier_share=ends[earlier],
        later_share=ends[later],
    )


def _shares(
    pairs: pd.DataFrame, releases: Sequence[str], kind: str, words: Words
) -> Iterator[str]:
    """Yield each release with the posterior of its largest subset, if it is known."""
    for release, values in posteriors(pairs, releases, kind).items():
        value = values.iloc[-1]
        if not np.isnan(value):
            yield f"{release}: {words.numbers.share(value)}"
