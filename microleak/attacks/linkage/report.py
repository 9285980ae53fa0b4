"""What is found without an identifier: a part of the page an analysis."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from microleak.attacks.linkage.definitions.quality import BY_CHANCE, MOST_EXCESS
from microleak.attacks.linkage.section import ESTIMATED
from microleak.figures.bars import success_bars
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.report.families import EachAnalysis, main_release
from microleak.report.parts import Bars, Grid, Place, Reply, ShareBar, limits_link
from microleak.tables import rows as tables

MOST_OVERLAP = 0.99
"""Share in both releases, as estimated, above which links are in doubt."""

MOST_APART, LEAST_APART = 0.15, 0.01
"""How far estimates of the overlap may end from one another, as a part of the lesser
one, or as a share, before they are in doubt, too."""

FOUND = (
    "posterior_prob_single",
    "posterior_prob_linked",
    "posterior_prob_identified",
)
"""Columns of the success with one release, with links and with an identifier."""

_RANK = 1
"""Where a study has other attacks, these are told first."""

_BARS = dict(zip(FOUND, (GREY, BLUE, VERMILION), strict=True))


class _LinkageTables(NamedTuple):
    links: pd.DataFrame
    bins: pd.DataFrame
    success: pd.DataFrame

    def doubts(self, place: Place) -> Iterator[str]:
        links = self.links.iloc[0]
        yield from doubts(links, place)
        yield from doubts_of_overlap(links, self.bins, place)
        yield from doubts_of_success(self.success, place)


def _measured(found: _LinkageTables, place: Place) -> Iterator[str]:
    links, success = found.links.iloc[0], found.success.iloc[0]
    linked = {name: links[name] for name in ("auxiliary", "stable")}
    yield place.say("measured", success, **linked)
    yield place.known(tables.qids_of(success))


def _heading(found: _LinkageTables, place: Place) -> str:
    row = found.links.iloc[0]
    if not row["n_links"]:
        return place.say("heading_nobody")
    if pd.isna(row["precision"]):
        return place.say("heading_likely", share=row["n_links"] / row["n_focal"])
    return place.say("heading", row)


def _sentences(found: _LinkageTables, place: Place) -> Iterator[str]:
    row = found.links.iloc[0]
    yield place.say("links", row)
    yield place.say(f"overlap_{row['transition']}", row)
    yield from found.doubts(place)
    if row["parents"]:
        yield place.say("parents", pairs=_dependent(row, place))
    if row["recoded"]:
        yield place.say("recoded", row)
    for _, each in found.success.iterrows():
        yield success_said("success", each, place)


def _dependent(row: pd.Series, place: Place) -> str:
    """List which attribute depends on which; their names may have `=` in them."""
    drifting = row["drifting"].split("|")
    names = [*row["stable"].split("|"), *drifting]
    single = [(name,) for name in names]
    pairs = {
        f"{each}={'&'.join(of)}": (each, of)
        for each in drifting
        for of in (*single, *combinations(names, 2))
    }
    told = map(pairs.__getitem__, row["parents"].split("|"))
    return place.voice.listing(
        place.say("parent", name=place.voice.attribute(name), parents=parents)
        for name, parents in told
    )


def _grids(found: _LinkageTables, place: Place) -> Iterator[Grid]:
    columns = ("sensitive:subject", *found_by(found.success.iloc[0]))
    yield place.grid(found.success, columns, anchors=(f"{place.anchor}-row",))
    is_known = bool(found.bins["n_right"].notna().any())
    columns = ("from_chance", "n_candidates", "mean_chance")
    columns += ("share_right",) if is_known else ()
    yield place.grid(found.bins, columns, f"caption_bins{'' if is_known else '_none'}")


def _replies(found: _LinkageTables, place: Place) -> Iterator[Reply]:
    links, doubted = found.links.iloc[0], [*found.doubts(place)]
    yield from replies(_heading(found, place), links, found.success, doubted, place)


def found_by(row: pd.Series) -> list[str]:
    """Return the columns of success that a row has."""
    return [name for name in FOUND if pd.notna(row[name])]


def success_said(key: str, row: pd.Series, place: Place) -> str:
    """Write the success of an attack; without an identifier the key ends in `_none`."""
    return place.say(f"{key}{'' if FOUND[-1] in found_by(row) else '_none'}", row)


def replies(
    heading: str,
    links: pd.Series,
    success: pd.DataFrame,
    doubted: Sequence[str],
    place: Place,
) -> Iterator[Reply]:
    """Yield who is found by links, what is learnt of whom, and how sure that is."""
    href, sources = f"#{place.anchor}", place.sources("linked_success")
    first, inferred = success.iloc[0], success.iloc[1:]
    said = f"{heading}. {success_said('reply_find', first, place)}"
    yield Reply("find", said, href, sources, _bars(first, place), _RANK)
    for _, row in inferred.iterrows():
        said = success_said("reply_learn", row, place)
        yield Reply("learn", said, href, sources, rank=_RANK)
    sure = " ".join([_sure(links, place), *doubted])
    yield Reply("sure", sure, href, (limits_link(place.voice),), rank=_RANK)


def _bars(row: pd.Series, place: Place) -> Bars:
    share = place.voice.numbers.share
    bars = (
        ShareBar(place.say(f"column_{name}"), float(row[name]), share(row[name]))
        for name in ("prior_prob", *found_by(row))
    )
    return Bars(place.say("bars"), tuple(bars))


def _sure(links: pd.Series, place: Place) -> str:
    kind = "" if links["transition"] == ESTIMATED else "_identifiers"
    kind = "_none" if pd.isna(links["n_true"]) else kind
    expected = round(links["expected_links"])
    return place.say(f"reply_sure{kind}", links, expected=expected)


def doubts(links: pd.Series, place: Place) -> Iterator[str]:
    """Write what is not as the model takes it: overlap, changes, who agrees in what."""
    overlap = links["overlap"]
    if links["transition"] == ESTIMATED and overlap > MOST_OVERLAP:
        yield place.say("doubtful", links)
    elif _are_apart(overlap, links["overlap_otherwise"]):
        yield place.say("doubtful_start", links)
    if links["overlap_by_sizes"] - overlap > LEAST_APART:
        yield place.say("doubtful_sizes", links)
    if links["excess_changes"] > LEAST_APART:
        yield place.say("doubtful_changes", links)
    n_more = links["excess_agreement"] * links["n_candidates"]
    if links["n_links"] and n_more > MOST_EXCESS * links["expected_links"]:
        kind = "together" if "|" in links["excess_attribute"] else "agreement"
        expected = round(links["expected_links"])
        more = {"n_more": round(n_more), "expected": expected}
        yield place.say(f"doubtful_{kind}", links, **more)


def doubts_of_overlap(
    links: pd.Series, bins: pd.DataFrame, place: Place
) -> Iterator[str]:
    """Write that an identifier tells another overlap, beyond chance."""
    overlap, n = links["overlap"], links["n_focal"]
    if pd.isna(links["n_true"]) or links["transition"] != ESTIMATED:
        return
    identified = bins["n_right"].sum() / n
    by_chance = BY_CHANCE * (identified * (1 - identified) / n) ** 0.5
    if abs(identified - overlap) > max(LEAST_APART, by_chance):
        yield place.say("doubtful_identifier", links, identified=identified)


def doubts_of_success(success: pd.DataFrame, place: Place) -> Iterator[str]:
    """Name the attacks of which the model expects more than an identifier allows."""
    attacks, share = [], place.voice.numbers.share
    for _, row in success.iterrows():
        expected, most = row["posterior_prob_expected"], row[FOUND[-1]]
        if expected > most and share(expected) != share(most):
            attacks.append(place.say("expected", row))
    if attacks:
        yield place.say("doubtful_success", attacks=place.voice.listing(attacks))


def _are_apart(first: float, second: float) -> bool:
    """Return whether estimates are far apart; nothing is far from a missing one."""
    return abs(first - second) > max(MOST_APART * min(first, second), LEAST_APART)


SHOWN = EachAnalysis(
    "linkage",
    tables=("linkage", "linkage_bins", "linked_success"),
    found=_LinkageTables,
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {
        "success": lambda found, words: success_bars(
            "linkage", _BARS, found.success, words
        )
    },
    releases=lambda found: main_release(found.success),
    sentences=_sentences,
    grids=_grids,
    words=lambda _: ("candidate", "link", "calibrated"),
    replies=_replies,
)
