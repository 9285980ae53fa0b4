"""What links reply on the first screen: who is found, what is learnt, how surely."""

from collections.abc import Iterator, Sequence

import pandas as pd

from microleak.attacks.linkage.analysis import ESTIMATED
from microleak.attacks.linkage.definitions.quality import BY_CHANCE, MOST_EXCESS
from microleak.report.parts import Bars, Link, Place, Reply, ShareBar
from microleak.report.texts import Voice
from microleak.tables import rows as tables

MOST_OVERLAP = 0.99
"""Share in both releases, as estimated, above which links are in doubt."""

MOST_APART, LEAST_APART = 0.15, 0.01
"""How far estimates of the overlap may end from one another, as a part of the lesser
one, or as a share, before they are in doubt, too."""

FOUND = {
    "single": "posterior_prob_single",
    "linked": "posterior_prob_linked",
    "identified": "posterior_prob_identified",
}
"""Success with one release, with links and with an identifier, by its heading."""

_RANK = 1
"""Where a study has other attacks, these are told first."""


def found_by(row: pd.Series) -> dict[str, str]:
    """Return the columns of success that a row has, by their headings."""
    return {name: each for name, each in FOUND.items() if pd.notna(row[each])}


def success_said(key: str, row: pd.Series, voice: Voice, **more: str) -> str:
    """Say the success of an attack; without an identifier the key ends in `_none`."""
    found, numbers = found_by(row), voice.numbers
    return voice.say(
        f"linkage.{key}{'' if 'identified' in found else '_none'}",
        **{name: numbers.share(row[column]) for name, column in found.items()},
        **more,
    )


def replies(
    heading: str,
    links: pd.Series,
    success: pd.DataFrame,
    doubted: Sequence[str],
    place: Place,
) -> Iterator[Reply]:
    """Yield who is found by links, what is learnt of whom, and how sure that is.

    The heading says how many are linked. Links are the row of all records, success has
    a row an attack, re-identification first.
    """
    voice, href = place.voice, f"#{place.anchor}"
    sources = (
        Link(voice.say("answer.row"), f"{href}-row"),
        Link(voice.say("answer.equation"), f"{href}-definitions"),
        Link(voice.say("answer.file"), place.download("linked_success", "")[0]),
    )
    first, inferred = success.iloc[0], success.iloc[1:]
    qids = tables.qids_of(first)
    known = {"facts": voice.facts(qids), "qids": voice.known(qids)}
    said = f"{heading}. {success_said('reply_find', first, voice, **known)}"
    yield Reply("find", said, href, sources, _bars(first, voice), _RANK)
    for _, row in inferred.iterrows():
        said = success_said(
            *("reply_learn", row, voice),
            sensitive=voice.attribute(row["sensitive"]),
            prior=voice.numbers.share(row["prior_prob"]),
        )
        yield Reply("learn", said, href, sources, rank=_RANK)
    limits = voice.say("glossary_page.limits_heading")
    link = Link(limits, f"#{voice.language}-limits")
    sure = " ".join([_sure(links, voice), *doubted])
    yield Reply("sure", sure, href, (link,), rank=_RANK)


def _bars(row: pd.Series, voice: Voice) -> Bars:
    shares = {"prior": "prior_prob", **found_by(row)}
    bars = (
        ShareBar(
            voice.say(f"linkage.column_{name}"),
            float(row[column]),
            voice.numbers.share(row[column]),
        )
        for name, column in shares.items()
    )
    return Bars(voice.say("linkage.bars"), tuple(bars))


def _sure(links: pd.Series, voice: Voice) -> str:
    numbers = voice.numbers
    is_known = pd.notna(links["n_true"])
    kind = "" if links["transition"] == ESTIMATED else "_identifiers"
    return voice.say(
        f"linkage.reply_sure{kind if is_known else '_none'}",
        expected=numbers.count(round(links["expected_links"])),
        n_true=numbers.count(links["n_true"]) if is_known else "",
        n_links=numbers.count(links["n_links"]),
        n_certain=numbers.count(links["n_certain"]),
    )


def doubts(links: pd.Series, voice: Voice) -> Iterator[str]:
    """Say what is not as the model takes it: overlap, changes, who agrees in what."""
    share, overlap = voice.numbers.share, links["overlap"]
    if links["transition"] == ESTIMATED and overlap > MOST_OVERLAP:
        yield voice.say("linkage.doubtful", overlap=share(overlap))
    elif _are_apart(overlap, links["overlap_otherwise"]):
        other = share(links["overlap_otherwise"])
        yield voice.say("linkage.doubtful_start", overlap=share(overlap), other=other)
    if links["overlap_by_sizes"] - overlap > LEAST_APART:
        other = share(links["overlap_by_sizes"])
        yield voice.say("linkage.doubtful_sizes", overlap=share(overlap), other=other)
    if links["excess_changes"] > LEAST_APART:
        names = [voice.attribute(n) for n in links["changed_together"].split("|")]
        yield voice.say(
            "linkage.doubtful_changes",
            names=voice.listing(f"“{name}”" for name in names),
            share=share(links["excess_changes"]),
        )
    n_more = links["excess_agreement"] * links["n_candidates"]
    if links["n_links"] and n_more > MOST_EXCESS * links["expected_links"]:
        names = [voice.attribute(n) for n in links["excess_attribute"].split("|")]
        yield voice.say(
            f"linkage.doubtful_{'agreement' if len(names) == 1 else 'together'}",
            stable=voice.listing(map(voice.attribute, links["stable"].split("|"))),
            name=names[0],
            names=voice.listing(f"“{name}”" for name in names),
            n_more=voice.numbers.count(round(n_more)),
            expected=voice.numbers.count(round(links["expected_links"])),
        )


def doubts_of_overlap(
    links: pd.Series, bins: pd.DataFrame, voice: Voice
) -> Iterator[str]:
    """Say that an identifier tells another overlap, beyond chance."""
    share, overlap, n = voice.numbers.share, links["overlap"], links["n_focal"]
    if pd.isna(links["n_true"]) or links["transition"] != ESTIMATED:
        return
    identified = bins["n_right"].sum() / n
    by_chance = BY_CHANCE * (identified * (1 - identified) / n) ** 0.5
    if abs(identified - overlap) > max(LEAST_APART, by_chance):
        yield voice.say(
            "linkage.doubtful_identifier",
            overlap=share(overlap),
            identified=share(identified),
            focal=links["focal"],
            auxiliary=links["auxiliary"],
        )


def doubts_of_success(success: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Say of which attacks the model expects visibly more than an identifier allows."""
    attacks = []
    for _, row in success.iterrows():
        expected, most = (
            row["posterior_prob_expected"],
            row["posterior_prob_identified"],
        )
        written = voice.numbers.share(expected) if expected > most else ""
        if written and written != voice.numbers.share(most):
            attack = voice.subject(row["sensitive"])
            said = voice.say("linkage.expected", attack=attack, expected=written)
            attacks.append(said)
    if attacks:
        yield voice.say("linkage.doubtful_success", attacks=voice.listing(attacks))


def _are_apart(first: float, second: float) -> bool:
    """Say whether estimates are far apart; nothing is far from a missing one."""
    return abs(first - second) > max(MOST_APART * min(first, second), LEAST_APART)
