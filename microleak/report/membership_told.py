"""What a sample gives away about who is in it, as sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.columns import BETWEEN, MEMBERSHIP_COUNTS
from microleak.figures import tables
from microleak.figures.membership_rows import DIFFERING, Membership
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
    """Say how many are alone in both tables, or else with what chance one is found.

    That their presence is certain is said of a sample only that is known to be part
    of its population.
    """
    row = shown.told
    if not _is_alone(row):
        needed = ["prior", "posterior_person"]
        known = _known("heading_chance", row, needed, voice)
        return known or _say("heading_unpublished", row, voice)
    alone = _share_alone(row, voice)
    if shown.refuting is None:
        number = "one" if row["n_qids"] == 1 else "many"
        return _say(f"heading_certain_{number}", row, voice, alone=alone)
    why = _why(shown.refuting, row, voice)
    certain = certainty(shown, voice)
    return _say("heading_alone", row, voice, alone=alone, certain=certain, why=why)


def certainty(shown: Membership, voice: Voice) -> str:
    """Say whether a chance of 1 makes presence certain, or under which condition."""
    state = "whole" if shown.refuting is None else "if"
    return voice.say(f"membership.certain_{state}")


def sentences(shown: Membership, voice: Voice) -> Iterator[str]:
    """Yield the further findings; none of which a number is suppressed."""
    return filter(None, _sentences(shown, voice))


def _sentences(shown: Membership, voice: Voice) -> Iterator[str]:
    row, half = shown.told, shown.half
    if _is_alone(row):
        needed = ["prior", "posterior_person", "degradation_person"]
        yield _known("chance", row, needed, voice)
    if half["n_qids"] < row["n_qids"]:
        yield _known("half", half, ["posterior_person"], voice)
    if shown.refuting is not None:
        yield _differing(shown.refuting, row, voice)
    yield _unique(shown, voice)
    yield _known("bayes", row, ["bayes_prior", "bayes_posterior"], voice)
    yield _known("names", row, [*_RATIOS], voice)


def _differing(row: pd.Series, told: pd.Series, voice: Voice) -> str:
    """Say by how much a sample differs from its population, by one row."""
    said = _known("differing", row, [*DIFFERING], voice)
    if not said or row["qids"] == told["qids"]:
        return said
    return _say("differing_by", row, voice, said=said)


def _why(row: pd.Series, told: pd.Series, voice: Voice) -> str:
    """Say by what number of a row a sample is not known to be of its population."""
    found = (name for name in DIFFERING if pd.notna(row[name]) and row[name] > 0)
    why = next(found, "unpublished")
    said = _say(f"why_{why}", row, voice)
    if why == "unpublished" or row["qids"] == told["qids"]:
        return said
    return _say("why_by", row, voice, said=said)


def _unique(shown: Membership, voice: Voice) -> str:
    """Say how many are alone in the sample, and in both tables."""
    key = f"unique_{'certain' if shown.refuting is None else 'alone'}"
    needed = ["n_sample_unique", "n_found", "n_unique_both"]
    said = _known(key, shown.told, needed, voice)
    if said and voice.numbers.is_published:
        return f"{said} {voice.say('membership.rounded')}"
    return said


def _is_alone(row: pd.Series) -> bool:
    """Say whether anybody is known to be alone in both tables."""
    return bool(pd.notna(row["n_unique_both"]) and row["n_unique_both"] > 0)


def _share_alone(row: pd.Series, voice: Voice) -> str:
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
        people=_people(row["n_sample"], voice),
        Number=number[:1].upper() + number[1:],
        attributes=voice.attributes(int(row["n_qids"])),
        qids=voice.listing(map(voice.attribute, tables.qids_of(row))),
        **more,
    )


def _people(number: float, voice: Voice) -> str:
    """Write a number of people, as in `1 person`, or as in `4 people`."""
    is_one = pd.notna(number) and number == 1
    key = f"membership.people_{'one' if is_one else 'many'}"
    return voice.say(key, n=voice.numbers.count(number))
