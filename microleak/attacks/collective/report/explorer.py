"""Tick what is known, see the risk: the numbers of every subset, within the page.

They are those of the collective table that the page links to.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.attacks.collective.report.findings import certain_row
from microleak.attacks.collective.report.headline import adversaries_of
from microleak.report.contents import Adversary
from microleak.report.texts import Voice
from microleak.tables import rows as tables

MOST_QIDS = 13
"""Of an analysis with more quasi-identifiers the page would grow too large."""

_PLACEHOLDERS = ("records", "certain", "guess", "prior", "points", "n_records")


@dataclass(frozen=True)
class Fact:
    """A box to tick: an attribute, its plain name, and whether it starts ticked."""

    bit: int
    name: str
    plain: str
    is_ticked: bool


@dataclass(frozen=True)
class Subject:
    """An attack, and the sentence in whose `{placeholders}` its numbers go."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Explorer:
    """The boxes of one analysis in one language, ready for the template.

    `panels` names the releases that are linked, fewest first.
    """

    analysis: str
    anchor: str
    facts: tuple[Fact, ...]
    panels: tuple[str, ...]
    subjects: tuple[Subject, ...]


def is_explorable(collective: pd.DataFrame) -> bool:
    """Say whether all subsets of an analysis were measured, and are few enough."""
    rows = tables.with_text(collective)
    n_qids = len(tables.all_qids(rows))
    return n_qids <= MOST_QIDS and rows["qids"].nunique() == 2**n_qids - 1


def explorer(
    collective: pd.DataFrame,
    worst: pd.DataFrame,
    voice: Voice,
    adversaries: Sequence[Adversary] = (),
) -> Explorer:
    """Return the boxes of one analysis.

    Ticked are at first the facts that the first finding of its chapter is about: what
    the first adversary knows that it can tell of, or else the worst combination.

    Parameters
    ----------
    collective
        Measures of all its subsets, as they are shown.
    worst
        Its worst subsets, likewise.
    voice
        The language.
    adversaries
        Those that the study names.
    """
    collective = tables.with_text(collective)
    analysis = collective["analysis"].iloc[0]
    first = next(iter(tables.by_subject(tables.with_text(worst)).values()))
    named = [who.qids for who in adversaries_of(adversaries, collective)]
    ticked = [*named, tables.qids_of(certain_row(first))][0]
    names = tables.all_qids(collective)
    return Explorer(
        analysis=analysis,
        anchor=f"{voice.language}-{quote(analysis)}-known",
        facts=tuple(
            Fact(1 << i, name, voice.attribute(name), name in ticked)
            for i, name in enumerate(names)
        ),
        panels=tuple(tables.by_panel(collective)),
        subjects=tuple(
            _subject(sensitive, voice) for sensitive in tables.by_subject(collective)
        ),
    )


def embedded(analyses: Mapping[str, pd.DataFrame]) -> Markup:
    """Write the numbers of some explorable analyses as JSON that HTML may hold.

    Of each analysis the subsets come in the order of their bits, from that of the
    first attribute alone; each number as the difference to the largest of those
    with one attribute less (`steps`).
    """
    numbers = {name: _analysis(rows) for name, rows in analyses.items()}
    text = json.dumps(numbers, ensure_ascii=False, separators=(",", ":"))
    escapes = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
    return Markup(text.translate(escapes))


def steps(numbers: Sequence[int]) -> list[int]:
    """Return what each subset adds to the largest of those with one element less.

    Parameters
    ----------
    numbers
        Of every subset of a set, by the bits of its elements, the empty one first.

    Returns
    -------
    list of int
        One a subset that is not empty.

    Examples
    --------
    >>> steps([1, 4, 6, 9])
    [3, 5, 3]
    """
    return [
        number - max(_one_less(subset, numbers))
        for subset, number in enumerate(numbers[1:], start=1)
    ]


def _one_less(subset: int, numbers: Sequence[int]) -> Iterator[int]:
    rest = subset
    while rest:
        yield numbers[subset ^ (rest & -rest)]
        rest &= rest - 1


def _subject(sensitive: str, voice: Voice) -> Subject:
    kept = {name: f"{{{name}}}" for name in _PLACEHOLDERS}
    if not sensitive:
        return Subject(voice.subject(""), voice.say("explorer.reid", **kept))
    sentence = voice.say("explorer.infer", sensitive=voice.attribute(sensitive), **kept)
    return Subject(voice.subject(sensitive), sentence)


def _analysis(rows: pd.DataFrame) -> dict[str, Any]:
    collective = tables.with_text(rows)
    bits = {name: 1 << i for i, name in enumerate(tables.all_qids(collective))}
    panels = tables.by_panel(collective).values()
    return {
        "panels": [
            [_numbers(part, bits) for part in tables.by_subject(panel).values()]
            for panel in panels
        ],
    }


def _numbers(rows: pd.DataFrame, bits: Mapping[str, int]) -> dict[str, Any]:
    """Return the numbers of one attack on one panel, the subsets by their bits."""
    subsets = [
        reduce(or_, (bits[q] for q in names.split("|"))) for names in rows["qids"]
    ]
    rows = rows.assign(subset=subsets).sort_values("subset")
    n_records = int(rows["n_records"].iloc[0])
    written: dict[str, Any] = {"records": n_records}
    for name, counts, prior in (
        ("certain", "n_certain", "prior_det"),
        ("guess", "n_modal", "prior_prob"),
    ):
        start = round(rows[prior].iloc[0] * n_records)
        written[name] = [start, *steps([start, *map(int, rows[counts])])]
    return written
