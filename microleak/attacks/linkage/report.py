"""What is found without an identifier: a part of the page an analysis."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import pandas as pd

from microleak.attacks.linkage.reply import (
    FOUND,
    doubts,
    doubts_of_overlap,
    doubts_of_success,
    found_by,
    replies,
    success_said,
)
from microleak.figures.numbers import Words
from microleak.figures.success import success_bars
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_BARS = dict(zip(FOUND.values(), (GREY, BLUE, VERMILION), strict=True))
"""What is drawn, in this order, and in which colour."""


@dataclass(frozen=True)
class LinkageShown:
    """The tables of one analysis, texts never missing."""

    links: pd.DataFrame
    bins: pd.DataFrame
    success: pd.DataFrame


def analyses(families: TablesByKind) -> Iterator[tuple[str, LinkageShown]]:
    """Yield the tables of each analysis, with its name."""
    kinds = ("linkage", "linkage_bins", "linked_success")
    for name in families.get("linkage", {}):
        yield (
            name,
            LinkageShown(*(tables.with_text(families[kind][name]) for kind in kinds)),
        )


def figures(
    name: str, shown: LinkageShown, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of one analysis."""
    names, draw = ("linkage", name, "success"), partial(bars_of, shown.success)
    yield Undrawn.of_release(names, draw, shown.success.iloc[0], synthetic)


def bars_of(rows: pd.DataFrame, words: Words) -> str:
    """Draw success with one release, with links, and with the identifier if known."""
    return success_bars("linkage", tables.with_text(rows), _BARS, words)


def part(shown: LinkageShown, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    first = shown.links.iloc[0]
    told = shown.success.iloc[0]
    heading = _heading(first, voice)
    doubted = (
        *doubts(first, voice),
        *doubts_of_overlap(first, shown.bins, voice),
        *doubts_of_success(shown.success, voice),
    )
    return place.part(
        heading=heading,
        measured=(
            place.measured(
                told,
                auxiliary=first["auxiliary"],
                stable=_listed(first["stable"], voice),
            ),
            place.known(tables.qids_of(told)),
        ),
        body=(
            Sentences(tuple(_sentences(shown, doubted, voice))),
            place.drawing("success", voice.say("linkage.caption_success")),
            _success(shown.success, place),
            _bins(shown.bins, voice),
        ),
        downloads=place.downloads("linkage", "linkage_bins", "linked_success"),
        replies=tuple(replies(heading, first, shown.success, doubted, place)),
    )


def _listed(names: str, voice: Voice) -> str:
    return voice.listing(f"“{voice.attribute(name)}”" for name in names.split("|"))


def _heading(row: pd.Series, voice: Voice) -> str:
    numbers = voice.numbers
    if not row["n_links"]:
        return voice.say("linkage.heading_nobody")
    if pd.isna(row["precision"]):
        share = row["n_links"] / row["n_focal"]
        return voice.say("linkage.heading_likely", share=numbers.share(share))
    return voice.say(
        "linkage.heading",
        recall=numbers.share(row["recall"]),
        precision=numbers.share(row["precision"]),
    )


def _sentences(
    shown: LinkageShown, doubted: Sequence[str], voice: Voice
) -> Iterator[str]:
    """Yield what was linked, how surely and by which codes, and success."""
    row, numbers = shown.links.iloc[0], voice.numbers
    yield voice.say(
        "linkage.links",
        n_links=numbers.count(row["n_links"]),
        n_certain=numbers.count(row["n_certain"]),
        n_focal=numbers.count(row["n_focal"]),
        exact=numbers.share(row["share_exact"]),
    )
    yield voice.say(
        f"linkage.overlap_{row['transition']}",
        overlap=numbers.share(row["overlap"]),
        focal=row["focal"],
        auxiliary=row["auxiliary"],
    )
    yield from doubted
    if row["parents"]:
        yield voice.say("linkage.parents", pairs=_dependent(row, voice))
    if row["recoded"]:
        yield voice.say("linkage.recoded", names=_listed(row["recoded"], voice))
    for _, each in shown.success.iterrows():
        attack = voice.subject(each["sensitive"])
        yield success_said("success", each, voice, attack=attack)


def _dependent(row: pd.Series, voice: Voice) -> str:
    """List which attribute depends on which; their names may have `=` in them."""
    drifting = row["drifting"].split("|")
    stable = row["stable"].split("|")
    single = [(name,) for name in (*stable, *drifting)]
    pairs = {
        f"{each}={'&'.join(of)}": (each, of)
        for each in drifting
        for of in (*single, *combinations((*stable, *drifting), 2))
    }
    return voice.listing(
        voice.say(
            "linkage.parent",
            name=voice.attribute(name),
            parent=voice.listing(f"“{voice.attribute(each)}”" for each in parents),
        )
        for name, parents in map(pairs.__getitem__, row["parents"].split("|"))
    )


def _written(share: float, voice: Voice) -> str:
    return "" if pd.isna(share) else voice.numbers.share(share)


def _success(rows: pd.DataFrame, place: Place) -> Grid:
    voice, found = place.voice, found_by(rows.iloc[0])
    return Grid(
        caption=voice.say("linkage.caption"),
        headings=voice.columns("linkage", "attack", *found),
        rows=tuple(
            (
                voice.subject(row["sensitive"]),
                *(voice.numbers.share(row[name]) for name in found.values()),
            )
            for _, row in rows.iterrows()
        ),
        n_texts=1,
        anchors=(f"{place.anchor}-row",),
    )


def _bins(rows: pd.DataFrame, voice: Voice) -> Grid:
    numbers = voice.numbers
    shares = {"mean": "mean_chance"}
    if rows["n_right"].notna().any():
        shares["right"] = "share_right"
    return Grid(
        caption=voice.say(
            f"linkage.caption_bins{'' if 'right' in shares else '_none'}"
        ),
        headings=voice.columns("linkage", "from", "pairs", *shares),
        rows=tuple(
            (
                numbers.share(row["from_chance"]),
                numbers.count(row["n_candidates"]),
                *(_written(row[name], voice) for name in shares.values()),
            )
            for _, row in rows.iterrows()
        ),
        n_texts=1,
    )


def words(_: LinkageShown) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("candidate", "link", "calibrated")


SHOWN = PartEach("linkage", analyses, figures, part, words)
