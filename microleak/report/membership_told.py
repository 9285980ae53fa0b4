"""What a sample gives away about who is in it, as sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.columns import BETWEEN, MEMBERSHIP_COUNTS
from microleak.figures import tables
from microleak.figures.membership_rows import Membership
from microleak.report.texts import Voice

_SHARES = ("prior", "posterior_person", "bayes_prior", "bayes_posterior")
_RATIOS = (
    *("degradation_printed", "degradation_partition", "degradation_person"),
    "bayes_degradation",
)


def measured(shown: Membership, voice: Voice) -> tuple[str, ...]:
    """Say which sample was compared with which population, and by what."""
    rows = shown.measures
    n_subsets = len(rows)
    combinations = voice.say(
        f"page.combinations_{'one' if n_subsets == 1 else 'many'}",
        n_subsets=voice.numbers.count(n_subsets),
        attributes=voice.attributes(int(rows["n_qids"].max())),
    )
    names = voice.listing(map(voice.explained, tables.all_qids(rows)))
    return (
        _say("measured", rows.iloc[0], voice, combinations=combinations),
        voice.say("page.measured_known", names=names),
    )


def heading(shown: Membership, voice: Voice) -> str:
    """Say whose presence is certain, or else with what chance it is recognised."""
    row = shown.told
    if _is_certain(row):
        number = "one" if row["n_qids"] == 1 else "many"
        return _say(f"heading_certain_{number}", row, voice, certain=_some(row, voice))
    return _known(
        "heading_chance", row, ["prior", "posterior_person"], voice
    ) or voice.say("membership.heading_unpublished")


def sentences(shown: Membership, voice: Voice) -> Iterator[str]:
    """Yield the further findings; none of which a number is suppressed."""
    return filter(None, _sentences(shown, voice))


def _sentences(shown: Membership, voice: Voice) -> Iterator[str]:
    row, half = shown.told, shown.half
    if _is_certain(row):
        needed = ["prior", "posterior_person", "degradation_person"]
        yield _known("chance", row, needed, voice)
    if half["n_qids"] < row["n_qids"]:
        yield _known("half", half, ["posterior_person"], voice)
    yield _known("unique", row, ["n_sample_unique", "n_found", "n_unique_both"], voice)
    differing = ["n_not_found", "n_blocks_in_excess"]
    if not row[differing].eq(0).all():
        yield _known("differing", row, differing, voice)
    yield _known("bayes", row, ["bayes_prior", "bayes_posterior"], voice)
    yield _known("names", row, [*_RATIOS], voice)


def _is_certain(row: pd.Series) -> bool:
    """Say whether anybody is known to be alone in both tables."""
    return bool(pd.notna(row["n_unique_both"]) and row["n_unique_both"] > 0)


def _some(row: pd.Series, voice: Voice) -> str:
    """Write how many of the sample are alone in both tables.

    Of published counts the share has too few digits to say more.
    """
    count = voice.numbers.count(row["n_unique_both"])
    if voice.numbers.is_published:
        return count
    share = voice.numbers.share(row["n_unique_both"] / row["n_sample"])
    return voice.say("membership.count_share", count=count, share=share)


def _known(key: str, row: pd.Series, needed: list[str], voice: Voice) -> str:
    """Return a phrase about one row, empty where one of its numbers is suppressed."""
    return "" if row[needed].isna().any() else _say(key, row, voice)


def _say(key: str, row: pd.Series, voice: Voice, **more: str) -> str:
    """Return a phrase about one row, whose placeholders are columns for the most."""
    numbers = voice.numbers
    number = voice.number_word(int(row["n_qids"]))
    return voice.say(
        f"membership.{key}",
        **{column: row[column] for column in BETWEEN},
        **{column: numbers.count(row[column]) for column in MEMBERSHIP_COUNTS},
        **{column: numbers.share(row[column], True) for column in _SHARES},
        **{column: numbers.ratio(row[column]) for column in _RATIOS},
        Number=number[:1].upper() + number[1:],
        attributes=voice.attributes(int(row["n_qids"])),
        qids=voice.listing(map(voice.attribute, tables.qids_of(row))),
        **more,
    )
