"""What a sample gives away about who is in it, as sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.columns import BETWEEN, MEMBERSHIP_COUNTS
from microleak.figures import tables
from microleak.figures.membership_rows import DIFFERING, Membership
from microleak.report.number_words import agrees, four_digits
from microleak.report.sentence_words import capital
from microleak.report.texts import Voice

_SHARES = ("prior", "posterior_person", "bayes_prior", "bayes_posterior")
_RATIOS = (
    *("degradation_printed", "degradation_partition", "degradation_person"),
    "bayes_degradation",
)

_OF_PERSON = ["prior", "posterior_person", "degradation_person"]
_OF_BAYES = ["bayes_prior", "bayes_posterior", "bayes_degradation"]


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
    """Say of how many participation is certain, or else with what chance one is found.

    It is certain of everybody in a block that was sampled whole, d = n, which those
    who are alone in both tables are part of. That is said of a sample only that is
    known to be part of its population.
    """
    row = shown.told
    certain = _certain(shown, voice)
    if not certain:
        needed = ["prior", "posterior_person"]
        known = _known("heading_chance", row, needed, voice)
        return known or _say("heading_unpublished", row, voice)
    if shown.refuting is None:
        number = "one" if row["n_qids"] == 1 else "many"
        return _say(f"heading_certain_{number}", row, voice, certain=certain)
    return _say(
        "heading_if",
        row,
        voice,
        certain=certain,
        condition=certainty(shown, voice),
        why=_why(shown.refuting, row, voice),
    )


def certainty(shown: Membership, voice: Voice) -> str:
    """Say whether a chance of 1 makes presence certain, or under which condition."""
    state = "whole" if shown.refuting is None else "if"
    return voice.say(f"membership.certain_{state}")


def sentences(shown: Membership, voice: Voice) -> Iterator[str]:
    """Yield the further findings; none of which a number is suppressed."""
    return filter(None, _sentences(shown, voice))


def _sentences(shown: Membership, voice: Voice) -> Iterator[str]:
    row, half = shown.told, shown.half
    if _certain(shown, voice):
        yield _chance(row, voice)
    if half["n_qids"] < row["n_qids"]:
        yield _known("half", half, ["posterior_person"], voice)
    if shown.refuting is not None:
        yield _differing(shown.refuting, row, voice)
    yield _unique(shown, voice)
    yield _known("bayes", row, ["bayes_prior", "bayes_posterior"], voice)
    yield _names(row, voice)


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


def _certain(shown: Membership, voice: Voice) -> str:
    """Write how many of the sample are in blocks that were sampled whole, if any.

    Where that is suppressed it is at least those who are alone in both tables.
    """
    row = shown.told
    *_, whole = shown.persons(row, "sample")
    if pd.notna(whole.n_records):
        return _counted(whole.n_records, row, voice) if whole.n_records > 0 else ""
    if pd.isna(row["n_unique_both"]) or row["n_unique_both"] == 0:
        return ""
    count = _counted(row["n_unique_both"], row, voice)
    return voice.say("membership.at_least", count=count)


def _counted(number: float, row: pd.Series, voice: Voice) -> str:
    """Write a number of people of the sample, with the share of it that they are.

    Of published counts the share has too few digits to say more.
    """
    count = voice.numbers.count(number)
    if voice.numbers.is_published:
        return count
    share = voice.numbers.share(number / row["n_sample"])
    return voice.say("membership.count_share", count=count, share=share)


def _chance(row: pd.Series, voice: Voice) -> str:
    """Compare the chances with and without facts; a contradicting ratio is not told."""
    is_told = _agrees(row, _OF_PERSON, voice)
    return _known(
        "chance" if is_told else "chance_without_ratio", row, _OF_PERSON, voice
    )


def _names(row: pd.Series, voice: Voice) -> str:
    """Tell the four degradations, unless one contradicts the chances it compares."""
    if not all(_agrees(row, columns, voice) for columns in (_OF_PERSON, _OF_BAYES)):
        return ""
    return _known("names", row, [*_RATIOS], voice)


def _agrees(row: pd.Series, columns: list[str], voice: Voice) -> bool:
    """Say whether a ratio may stand beside its prior and posterior, named before it."""
    prior, posterior, ratio = row[columns]
    return not voice.numbers.is_published or agrees(ratio, prior, posterior)


def _known(key: str, row: pd.Series, needed: list[str], voice: Voice) -> str:
    """Return a phrase about one row, empty where one of its numbers is suppressed."""
    return "" if row[needed].isna().any() else _say(key, row, voice)


def _say(key: str, row: pd.Series, voice: Voice, **more: str) -> str:
    """Return a phrase about one row, whose placeholders are columns for the most."""
    numbers = voice.numbers
    return voice.say(
        f"membership.{key}",
        **{column: row[column] for column in BETWEEN},
        **{column: numbers.count(row[column]) for column in MEMBERSHIP_COUNTS},
        **{column: numbers.share(row[column], True) for column in _SHARES},
        **{column: four_digits(row[column], voice) for column in _RATIOS},
        people=_people(row["n_sample"], voice),
        Number=capital(voice.number_word(int(row["n_qids"]))),
        attributes=voice.number_known(tables.qids_of(row)),
        qids=voice.known(tables.qids_of(row)),
        **more,
    )


def _people(number: float, voice: Voice) -> str:
    """Write a number of people, as in `1 person`, or as in `4 people`."""
    is_one = pd.notna(number) and number == 1
    key = f"membership.people_{'one' if is_one else 'many'}"
    return voice.say(key, n=voice.numbers.count(number))
