"""What each attribute, and each further release linked, brings to an attack."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from microleak.attacks.collective.report.contents import Scope, unit_words
from microleak.attacks.collective.report.findings import attack_kind
from microleak.attacks.collective.report.worst import priors
from microleak.report.parts import Element, Grid, Passage, grid
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def importance(brought: pd.DataFrame, voice: Voice) -> tuple[Element, ...]:
    """Write what each attribute brings, of all releases where several are linked.

    That which brings most comes first; a sentence says which, where it is known.
    """
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
    """Write which attributes bring most, if any brings something, or that none does.

    Attributes of which the Shapley values are written alike are equals.
    """
    first = rows.iloc[0]
    if not first["shapley_prob"] > 0:
        return ""
    written = rows["shapley_prob"].map(voice.numbers.points)
    equals = rows["qid"][written == written.iloc[0]]
    kind = "_none" if len(equals) == len(rows) else "_several"
    kind = "" if len(equals) == 1 else kind
    return voice.say(f"importance.most{kind}", first, attribute=equals)


@dataclass(frozen=True)
class LinkedTables:
    """Tables of one analysis that links releases, and of one subject.

    `persons` says how many focal persons each linked release has, and is the same
    for all subjects.
    """

    collective: pd.DataFrame
    worst: pd.DataFrame
    gain: pd.DataFrame
    persons: pd.DataFrame


@dataclass(frozen=True)
class Years:
    """What a section says of the releases linked, with all QIDs.

    `is_partial` says that some release lacks some of these, `attributes` how many
    they are.
    """

    sentences: tuple[str, ...]
    is_partial: bool
    attributes: str
    grid: Grid


def years(linked: LinkedTables, voice: Voice, scope: Scope) -> Years:
    """Write what each release that is linked adds, for the largest subset of QIDs."""
    full = tables.full_set(linked.collective, linked.worst)
    gained = tables.full_set(linked.gain, linked.worst)
    said = [
        _certainty(full, voice, scope),
        _guess(full, voice, scope.unit),
        _most(gained, voice),
    ]
    return Years(
        sentences=tuple(sentence for sentence in said if sentence),
        is_partial=scope.is_partial(full.iloc[-1]),
        attributes=voice.attributes(int(full.iloc[0]["n_qids"])),
        grid=_gain_grid(full, gained, linked.persons, voice, scope),
    )


def _gain_grid(
    full: pd.DataFrame,
    gained: pd.DataFrame,
    persons: pd.DataFrame,
    voice: Voice,
    scope: Scope,
) -> Grid:
    """Lay out the posteriors of each panel, and what its last release adds to them.

    `column_found` says of how many focal persons that release has a record; it is
    empty for the focal release itself.
    """
    first = full.iloc[0]
    kind = "_partial" if scope.is_partial(full.iloc[-1]) else ""
    attributes = voice.attributes(int(first["n_qids"]))
    caption = voice.say(f"page.gain_caption{kind}", attributes=attributes)
    return Grid(
        caption=f"{caption}: {', '.join(tables.qids_of(first))}",
        headings=(
            voice.say("page.column_linked"),
            voice.say("page.column_found", focal=first["focal"]),
            *voice.columns("page", "posterior", "gain") * 2,
        ),
        rows=tuple(_rows(full, gained, _found(persons, voice), voice)),
        over=priors(first, voice, 2, 2),
    )


def _found(persons: pd.DataFrame, voice: Voice) -> dict[str, str]:
    """Write the share and number of focal persons that each release has."""
    found = {}
    for _, row in persons.iterrows():
        share = voice.numbers.share(row["share_linked"])
        found[row["auxiliary"]] = f"{share} ({voice.numbers.count(row['n_linked'])})"
    return found


def _rows(
    full: pd.DataFrame, gained: pd.DataFrame, found: Mapping[str, str], voice: Voice
) -> Iterator[tuple[str, ...]]:
    share, change = voice.numbers.share, voice.numbers.change
    for (_, row), (_, gain) in zip(full.iterrows(), gained.iterrows(), strict=True):
        is_first = not row["auxiliary"]
        yield (
            tables.panel_label(row),
            "" if is_first else found[tables.releases_of(row)[-1]],
            share(row["posterior_det"]),
            "" if is_first else change(gain["gain_det"]),
            share(row["posterior_prob"]),
            "" if is_first else change(gain["gain_prob"]),
        )


def _certainty(full: pd.DataFrame, voice: Voice, scope: Scope) -> str:
    """Write how many records all releases give away, and the focal one alone."""
    alone, linked = full.iloc[0], full.iloc[-1]
    known = f"years.known{'_partial' if scope.is_partial(linked) else ''}"
    return voice.say(
        f"years.certain_{attack_kind(linked)}",
        linked,
        releases=voice.listing(tables.releases_of(linked)),
        known=voice.say(known, linked),
        alone=alone["posterior_det"],
        n_alone=int(alone["n_certain"]),
        **unit_words(scope.unit, voice),
    )


def _guess(full: pd.DataFrame, voice: Voice, unit: str) -> str:
    alone, linked = full.iloc[0], full.iloc[-1]
    return voice.say(
        f"years.guess_{attack_kind(linked)}",
        linked,
        alone=alone["posterior_prob"],
        prior=alone["prior_prob"],
        **unit_words(unit, voice),
    )


def _most(gained: pd.DataFrame, voice: Voice) -> str:
    """Write which of several further releases adds most to certainty."""
    further = gained.iloc[1:]
    if len(further) < 2 or not further["gain_det"].max() > 0:
        return ""
    row = further.loc[further["gain_det"].idxmax()]
    return voice.say("years.most", row, release=tables.releases_of(row)[-1])
