"""Numbers of a section: the worst, and what attributes and linked releases bring."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.findings import attack_kind
from microleak.definitions.profile import EXACTLY_ONE
from microleak.figures.numbers import Numbers
from microleak.report.parts import Element, Grid, GridColumn, Names, Passage, grid
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def worst_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject with the highest posterior by the best guess."""
    # Of equals that with the fewest releases, then with the fewest QIDs.
    panels = tables.by_panel(worst[worst["criterion"] == "probabilistic"]).values()
    simplest = pd.concat(panel.sort_values("n_qids", kind="stable") for panel in panels)
    return simplest.iloc[int(simplest["posterior_prob"].astype("float64").argmax())]


_WORST = (
    "posterior=posterior_det:share",
    "difference=degradation_det:points",
    "posterior=posterior_prob:share",
    "ratio=degradation_prob:ratio",
    "leakage=additive_leakage:points",
)
_IN_ORDER = ["n_qids", "criterion"]
_SURE = ("largest_success:share", "n_largest:count")


def worst_grids(
    worst: pd.DataFrame, voice: Voice, qids: str = "", anchor: str = ""
) -> Iterator[Grid]:
    """Lay out the worst subsets of one subject by panel (Nunes, Table 4.4).

    The row of some `qids` on the last of them can be linked to by its anchor.
    """
    is_inferred = bool(worst["sensitive"].iloc[0])
    columns = (*_WORST, *["own=own_record:points"] * is_inferred)
    panels = tables.first_and_last(tables.by_panel(worst))
    for label, panel in panels.items():
        here = qids if label == [*panels][-1] else None
        rows = with_marks("page", panel.sort_values(_IN_ORDER), voice)
        yield grid_of_worst(
            "page",
            rows,
            columns,
            voice,
            caption=voice.say("page.worst_caption", panel=label),
            over=_priors(panel.iloc[0], voice, 2, len(columns) - 2),
            anchors=tuple(anchor if name == here else "" for name in rows["qids"]),
        )


def count_grids(worst: pd.DataFrame, voice: Voice) -> Iterator[Grid]:
    """Lay out the counts of the same subsets, and how sure the surest guess is."""
    kind = attack_kind(worst.iloc[0])
    counts = [f"n_{name}_{kind}=n_{name}:count" for name in ("certain", "modal")]
    columns = ("n_blocks:count", *counts, *_SURE)
    for label, panel in tables.first_and_last(tables.by_panel(worst)).items():
        caption = voice.say("page.details_success_caption", panel=label)
        rows = with_marks("page", panel.sort_values(_IN_ORDER), voice)
        yield grid_of_worst("page", rows, columns, voice, caption=caption)


def grid_of_worst(
    section: str,
    rows: pd.DataFrame,
    columns: tuple[str, ...],
    voice: Voice,
    **look: Any,
) -> Grid:
    """Lay out subsets with their marks, the headings of columns as `grid` has them."""
    every: list[GridColumn] = [
        "n_qids:count",
        ("qids", lambda row: Names.of(tables.qids_of(row), voice, *row["marks"])),
        *columns,
    ]
    return grid(voice, section, rows, every, n_texts=2, **look)


def with_marks(section: str, rows: pd.DataFrame, voice: Voice) -> pd.DataFrame:
    """Return the worst subset of each size, two where criteria differ, with `marks`.

    The marks are which criterion it is the worst by.
    """
    differs = rows.groupby("n_qids")["qids"].transform("nunique") > 1
    marks = [
        (voice.say(f"{section}.mark_{criterion}"),) if is_marked else ()
        for criterion, is_marked in zip(rows["criterion"], differs, strict=True)
    ]
    rows = rows.assign(marks=pd.Series(marks, rows.index, dtype=object))
    return rows[differs | ~rows["n_qids"].duplicated()]


def _priors(
    row: pd.Series, voice: Voice, n_det: int, n_prob: int
) -> tuple[tuple[str, int], ...]:
    """Return what stands above the columns of both successes, with their priors."""
    return tuple(
        (voice.say(f"page.column_{name}", prior=voice.numbers.share(prior)), n)
        for name, prior, n in (
            ("deterministic", row["prior_det"], n_det),
            ("probabilistic", row["prior_prob"], n_prob),
        )
    )


def bin_grids(
    distribution: pd.DataFrame, worst: pd.DataFrame, voice: Voice
) -> Iterator[Grid]:
    """Lay out the bins that the second figure of one subject draws."""
    # What writes a sentence alone does not wait for what draws.
    from microleak.attacks.collective.figures.success import (  # noqa: PLC0415
        drawn_distributions,
    )

    columns: list[GridColumn] = [
        ("bin", lambda row: _bin_label(int(row["bin"]), voice)),
        "n_records:count",
        "share:share",
    ]
    for row, bins in drawn_distributions(distribution, worst):
        caption = voice.say(
            "page.details_distribution_caption",
            attributes=voice.attributes(int(row["n_qids"])),
            panel=tables.panel_label(row),
            qids=", ".join(tables.qids_of(row)),
        )
        ordered = bins.assign(share=tables.record_shares(bins)).sort_values("bin")
        yield grid(voice, "page", ordered, columns, caption=caption)


def _bin_label(number: int, voice: Voice) -> str:
    edges = _edges(voice.numbers)
    if number == EXACTLY_ONE:
        return voice.say("page.bin_certain", share=edges[number])
    return voice.say("page.bin", low=edges[number], high=edges[number + 1])


@cache
def _edges(numbers: Numbers) -> tuple[str, ...]:
    """Write the edges of all bins in a language, once for all pages."""
    return tuple(f"{numbers.count(edge)}%" for edge in range(EXACTLY_ONE + 1))


def importance(brought: pd.DataFrame, voice: Voice) -> tuple[Element, ...]:
    """Write what each attribute brings, of all releases where several are linked."""
    if brought.empty:
        return ()
    panel, rows = _last(brought)
    sentence = _sentence(rows, voice)
    return (
        Passage("subheading", voice.say("importance.heading")),
        *([Passage("paragraph", sentence)] if sentence else []),
        _importance_grid(panel, rows, voice),
        Passage("note", voice.say("importance.note")),
    )


def most_brought(brought: pd.DataFrame, voice: Voice) -> str:
    """Write which attribute brings most; nothing where none does or it is not known."""
    return "" if brought.empty else _sentence(_last(brought)[1], voice)


def _last(brought: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Return the last panel and its rows, that which brings most first."""
    panel, last = list(tables.by_panel(brought).items())[-1]
    order = ["shapley_prob", "shapley_det"]
    return panel, last.sort_values(order, ascending=False, kind="stable")


_DET = ("without=posterior_det_without", "shapley=shapley_det:points")
_PROB = (
    "without=posterior_prob_without",
    "leakage_without=additive_leakage_without:points",
    "shapley=shapley_prob:points",
)


def _importance_grid(panel: str, rows: pd.DataFrame, voice: Voice) -> Grid:
    first = rows.iloc[0]
    over = (
        (voice.say("importance.column_det", first), len(_DET)),
        (voice.say("importance.column_prob", first), len(_PROB)),
    )
    caption = voice.say("importance.caption", panel=panel)
    columns = ("qid", *_DET, *_PROB)
    return grid(voice, "importance", rows, columns, caption=caption, over=over)


def _sentence(rows: pd.DataFrame, voice: Voice) -> str:
    """Write which attributes bring most, if any brings something, or that none does."""
    first = rows.iloc[0]
    if not first["shapley_prob"] > 0:
        return ""
    # Attributes of which the values are written alike are equals.
    written = rows["shapley_prob"].map(voice.numbers.points)
    equals = rows["qid"][written == written.iloc[0]]
    kind = "_none" if len(equals) == len(rows) else "_several"
    kind = "" if len(equals) == 1 else kind
    return voice.say(f"importance.most{kind}", first, attribute=equals)


@dataclass(frozen=True)
class Years:
    """What a section says of the releases linked, with all QIDs."""

    sentences: tuple[str, ...]
    is_partial: bool  # Whether some release lacks some of these
    attributes: str  # How many they are
    grid: Grid


def years(
    collective: pd.DataFrame,
    worst: pd.DataFrame,
    gain: pd.DataFrame,
    persons: pd.DataFrame,
    *,
    scope: Scope,
) -> Years:
    """Write what each release that is linked adds, for the largest subset of QIDs.

    `persons` says how many focal persons each linked release has.
    """
    full, gained = (tables.full_set(rows, worst) for rows in (collective, gain))
    said = [
        _certainty(full, scope),
        _guess(full, scope),
        _most(gained, scope.voice),
    ]
    is_partial = scope.is_partial(full.iloc[-1])
    attributes = scope.voice.attributes(int(full.iloc[0]["n_qids"]))
    kind = "_partial" if is_partial else ""
    caption = scope.say(f"page.gain_caption{kind}", attributes=attributes)
    return Years(
        tuple(filter(None, said)),
        is_partial,
        attributes,
        _gain_grid(full, gained, persons, caption, scope.voice),
    )


def _gain_grid(
    full: pd.DataFrame,
    gained: pd.DataFrame,
    persons: pd.DataFrame,
    caption: str,
    voice: Voice,
) -> Grid:
    """Lay out the posteriors of each panel, and what its last release adds to them."""
    first, numbers = full.iloc[0], voice.numbers
    found = {
        row["auxiliary"]: f"{numbers.share(row['share_linked'])} "
        f"({numbers.count(row['n_linked'])})"
        for _, row in persons.iterrows()
    }

    def cells(row: pd.Series, gain: pd.Series) -> tuple[str, ...]:
        is_first = not row["auxiliary"]
        return (
            tables.panel_label(row),
            "" if is_first else found[tables.releases_of(row)[-1]],
            numbers.share(row["posterior_det"]),
            "" if is_first else numbers.change(gain["gain_det"]),
            numbers.share(row["posterior_prob"]),
            "" if is_first else numbers.change(gain["gain_prob"]),
        )

    pairs = zip(full.iterrows(), gained.iterrows(), strict=True)
    return Grid(
        caption=f"{caption}: {', '.join(tables.qids_of(first))}",
        headings=(
            voice.say("page.column_linked"),
            voice.say("page.column_found", focal=first["focal"]),
            *voice.columns("page", "posterior", "gain") * 2,
        ),
        rows=tuple(cells(row, gain) for (_, row), (_, gain) in pairs),
        over=_priors(first, voice, 2, 2),
    )


def _certainty(full: pd.DataFrame, scope: Scope) -> str:
    """Write how many records all releases give away, and the focal one alone."""
    alone, linked = full.iloc[0], full.iloc[-1]
    known = f"years.known{'_partial' if scope.is_partial(linked) else ''}"
    return scope.say(
        f"years.certain_{attack_kind(linked)}",
        linked,
        releases=scope.voice.listing(tables.releases_of(linked)),
        known=scope.say(known, linked),
        alone=alone["posterior_det"],
        n_alone=int(alone["n_certain"]),
    )


def _guess(full: pd.DataFrame, scope: Scope) -> str:
    alone, linked = full.iloc[0], full.iloc[-1]
    return scope.say(
        f"years.guess_{attack_kind(linked)}",
        linked,
        alone=alone["posterior_prob"],
        prior=alone["prior_prob"],
    )


def _most(gained: pd.DataFrame, voice: Voice) -> str:
    """Write which of several further releases adds most to certainty."""
    further = gained.iloc[1:]
    if len(further) < 2 or not further["gain_det"].max() > 0:
        return ""
    row = further.loc[further["gain_det"].idxmax()]
    return voice.say("years.most", row, release=tables.releases_of(row)[-1])
