"""What the page says of how a sample was drawn, of its classes, and of answers."""

from collections.abc import Iterator, Sequence

import pandas as pd

from microleak.attacks.membership.rows import MembershipRows
from microleak.report.parts import Grid
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_DESIGN = (
    *("posterior_person", "posterior_person_uniform"),
    *("certain", "certain_uniform"),
)
_ANSWER = ("prior_found", "posterior_found", "posterior_value", "certain")


def sentences(shown: MembershipRows, voice: Voice) -> Iterator[str]:
    """Yield what is told of the combination that the part tells of."""
    for row in _told(shown, shown.designs):
        yield _say("designs", row, _DESIGN, voice)
    yield from answers(shown, voice)
    for _, row in shown.fingerprints.iterrows():
        yield from _classes(row, voice)


def answers(shown: MembershipRows, voice: Voice) -> Iterator[str]:
    """Yield, for each attribute inferred, how often presence and answer are known."""
    for row in _told(shown, shown.answers):
        sensitive = voice.attribute(row["sensitive"])
        yield _say("answers", row, _ANSWER, voice, sensitive=sensitive)


def _told(shown: MembershipRows, rows: pd.DataFrame) -> Iterator[pd.Series]:
    """Yield the rows of that combination that have numbers."""
    is_told = rows["qids"] == shown.told["qids"]
    for _, row in rows[is_told].dropna(subset=["certain"]).iterrows():
        yield row


def _say(
    key: str, row: pd.Series, shares: Sequence[str], voice: Voice, **more: str
) -> str:
    return voice.say(
        f"membership.{key}",
        attributes=voice.number_known(tables.qids_of(row)),
        **{name: voice.numbers.share(row[name]) for name in shares},
        **more,
    )


def _classes(row: pd.Series, voice: Voice) -> Iterator[str]:
    counts = ("n_identified", "n_classes_sample", "n_present", "n_in_identified")
    yield voice.say(
        "membership.classes",
        attributes=voice.number_known(tables.qids_of(row)),
        **{name: voice.numbers.count(row[name]) for name in counts},
    )
    if pd.notna(row["n_identified_right"]):
        right = voice.numbers.count(row["n_identified_right"])
        yield voice.say("membership.classes_right", n_identified_right=right)


def grids(shown: MembershipRows, voice: Voice) -> Iterator[Grid]:
    """Lay out the worst combination of each size, by design and with answers."""
    designs, answers = map(shown.of_worst, (shown.designs, shown.answers))
    if not designs.empty:
        rows = [
            (*_subset(row, voice), *_shares(row, _DESIGN, voice))
            for row in _rows(designs)
        ]
        yield Grid(
            caption=voice.say("membership.designs_caption"),
            headings=(
                *voice.columns("page", "n", "qids"),
                *voice.columns("membership", *(f"design_{name}" for name in _DESIGN)),
            ),
            rows=tuple(rows),
            n_texts=2,
        )
    if not answers.empty:
        rows = [
            (
                *_subset(row, voice),
                voice.attribute(row["sensitive"]),
                *_shares(row, _ANSWER, voice),
            )
            for row in _rows(answers)
        ]
        yield Grid(
            caption=voice.say("membership.answers_caption"),
            headings=(
                *voice.columns("page", "n", "qids"),
                *voice.columns("membership", "answer_sensitive"),
                *voice.columns("membership", *(f"answer_{name}" for name in _ANSWER)),
            ),
            rows=tuple(rows),
            n_texts=3,
        )


def _rows(rows: pd.DataFrame) -> Iterator[pd.Series]:
    return (row for _, row in rows.iterrows())


def _subset(row: pd.Series, voice: Voice) -> tuple[str, str]:
    return voice.numbers.count(row["n_qids"]), ", ".join(tables.qids_of(row))


def _shares(row: pd.Series, names: Sequence[str], voice: Voice) -> Iterator[str]:
    for name in names:
        yield "" if pd.isna(row[name]) else voice.numbers.share(row[name])
