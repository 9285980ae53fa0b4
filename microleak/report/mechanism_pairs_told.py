"""Which counts of an attribute leak which other one, as sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.mechanism_rows import LOSS, Noisy
from microleak.figures.mechanism_text import epsilon_equals, measure_text
from microleak.report.mechanism_words import chances, epsilons, is_none
from microleak.report.texts import Voice

SCENARIOS = ("A", "B", "C", "D")
"""Letters of Nunes' Example 33."""

_FROM, _LIMIT = "sensitive_from_useful", "privacy_loss_limit"


def measured_pairs(noisy: Noisy, voice: Voice) -> tuple[str, ...]:
    """Say which attributes of which records were paired."""
    row = noisy.first
    return (
        voice.say(
            "mechanism.measured_pairs",
            **{name: row[name] for name in ("analysis", "table", "focal")},
            n_records=voice.numbers.count(row["n_records"]),
            epsilons=epsilons(list(noisy.pairs["epsilon"].unique()), voice),
            names=voice.listing(map(voice.explained, noisy.attributes)),
        ),
    )


def pairs_heading(noisy: Noisy, voice: Voice) -> str:
    """Say how many pairs leak, and which count tells most of another attribute."""
    rows = _different(noisy)
    most = _most(rows, LOSS if not noisy.is_published else _LIMIT)
    if most is None:
        return voice.say("mechanism.pairs_unpublished")
    n_leaking = int((rows[LOSS].dropna().map(is_none) == 0).sum())
    return voice.say(
        f"mechanism.pairs_heading{_found(most, n_leaking, voice)}",
        epsilon=epsilon_equals(noisy.middle, voice.numbers),
        n_leaking=voice.numbers.count(n_leaking),
        n_pairs=voice.numbers.count(len(rows)),
        sensitive=voice.attribute(most["sensitive"]),
        useful=voice.attribute(most["useful"]),
        prior=voice.numbers.share(most["prior"], True),
        posterior=voice.numbers.share(most["posterior"], True),
        loss=measure_text(most[LOSS], voice.numbers),
        limit=measure_text(most[_LIMIT], voice.numbers),
    )


def _found(most: pd.Series, n_leaking: int, voice: Voice) -> str:
    """Name what the heading can say of the count that tells most."""
    if voice.numbers.is_published:
        return "_public"
    if not n_leaking:
        return "_none"
    before, after = chances(most, voice)
    return "_hardly" if before == after else ""


def pairs_sentences(noisy: Noisy, voice: Voice) -> Iterator[str]:
    """Yield the further findings; none of which a number is suppressed."""
    rows = _different(noisy)
    yield from _example(rows, voice)
    if not noisy.is_published:
        n_safe = int((rows[_FROM] == 0).sum())
        yield voice.say(
            "mechanism.pairs_safe",
            n_safe=voice.numbers.count(n_safe),
            n_pairs=voice.numbers.count(len(rows)),
        )
    found = rows["scenario"].value_counts()
    told = [
        voice.say(
            "mechanism.pairs_of_scenario",
            letter=letter,
            words=voice.say(f"mechanism.scenario_{letter}"),
            number=voice.numbers.count(found[letter]),
        )
        for letter in SCENARIOS
        if letter in found
    ]
    if told:
        yield voice.say("mechanism.pairs_scenarios", scenarios="; ".join(told))


def _example(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Tell of the count that without noise leaks another attribute most."""
    most = _most(rows, _LIMIT)
    if most is None or pd.isna(most[_FROM]) or is_none(most[_LIMIT]):
        return
    yield voice.say(
        "mechanism.pairs_example",
        sensitive=voice.attribute(most["sensitive"]),
        useful=voice.attribute(most["useful"]),
        errors=voice.numbers.share(most[_FROM], True),
        limit=measure_text(most[_LIMIT], voice.numbers),
    )


def _different(noisy: Noisy) -> pd.DataFrame:
    """Return the pairs of two attributes, with the epsilon that is shown."""
    rows = noisy.shown_pairs
    return rows[rows["sensitive"] != rows["useful"]].reset_index(drop=True)


def _most(rows: pd.DataFrame, column: str) -> pd.Series | None:
    """Return the row with the largest number in a column, if any is known."""
    numbers = rows[column].astype(float)
    return rows.loc[numbers.idxmax()] if numbers.notna().any() else None
