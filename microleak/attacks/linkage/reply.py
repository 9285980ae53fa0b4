"""What links reply on the first screen: who is found, what is learnt, how surely."""

from collections.abc import Iterator

import pandas as pd

from microleak.attacks.linkage.analysis import ESTIMATED
from microleak.attacks.linkage.definitions.quality import MOST_EXCESS
from microleak.report.parts import Bar, Bars, Link, Place, Reply
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
    heading: str, links: pd.Series, success: pd.DataFrame, place: Place
) -> Iterator[Reply]:
    """Yield who is found by links, what is learnt of whom, and how sure that is.

    Parameters
    ----------
    heading
        How many are linked.
    links
        The row of all records.
    success
        A row an attack, re-identification first.
    place
        Where the part is.
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
    yield Reply("sure", _sure(links, voice), href, (link,), rank=_RANK)


def _bars(row: pd.Series, voice: Voice) -> Bars:
    shares = {"prior": "prior_prob", **found_by(row)}
    bars = (
        Bar(
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
    said = voice.say(
        f"linkage.reply_sure{kind if is_known else '_none'}",
        expected=numbers.count(round(links["expected_links"])),
        n_true=numbers.count(links["n_true"]) if is_known else "",
        n_links=numbers.count(links["n_links"]),
        n_certain=numbers.count(links["n_certain"]),
    )
    return " ".join([said, *doubts(links, voice)])


def doubts(links: pd.Series, voice: Voice) -> Iterator[str]:
    """Say that nothing tells the overlap, or that strangers agree too often."""
    share, overlap = voice.numbers.share, links["overlap"]
    if links["transition"] == ESTIMATED and overlap > MOST_OVERLAP:
        yield voice.say("linkage.doubtful", overlap=share(overlap))
    elif _are_apart(overlap, links["overlap_otherwise"]):
        other = share(links["overlap_otherwise"])
        yield voice.say("linkage.doubtful_start", overlap=share(overlap), other=other)
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


def _are_apart(first: float, second: float) -> bool:
    """Say whether estimates are far apart; nothing is far from a missing one."""
    return abs(first - second) > max(MOST_APART * min(first, second), LEAST_APART)
