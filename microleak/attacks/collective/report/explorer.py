"""Tick what is known, see the risk: the numbers of every subset, within the page.

They are those of the collective table that the page links to, and nothing else: what
is suppressed there is not in the page.
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
from microleak.tables.rows import is_published

MOST_QIDS = 13
"""Of an analysis with more quasi-identifiers the page would grow too large."""

_THOUSANDTHS = 1_000
_PLACEHOLDERS = ("records", "certain", "guess", "prior", "points", "n_records")

Number = int | None
"""A count, or a share in units of 1/scale; none where it is suppressed."""


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
        The language and audience.
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


def steps(numbers: Sequence[Number]) -> list[Number]:
    """Return what each subset adds to the largest of those with one element less.

    Parameters
    ----------
    numbers
        Of every subset of a set, by the bits of its elements, the empty one first.
        A missing one counts as 0 for those that are larger.

    Returns
    -------
    list of int or None
        One a subset that is not empty, none where its number is missing.

    Examples
    --------
    >>> steps([1, 4, 6, 9]), steps([0, None, 20, 30])
    ([3, 5, 3], [None, 20, 10])
    """
    return [
        None if number is None else number - max(_one_less(subset, numbers))
        for subset, number in enumerate(numbers[1:], start=1)
    ]


def _one_less(subset: int, numbers: Sequence[Number]) -> Iterator[int]:
    rest = subset
    while rest:
        yield numbers[subset ^ (rest & -rest)] or 0
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
        "published": is_published(rows),
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
    first = rows.iloc[0]
    n_records = _whole(first["n_records"])
    if not is_published(rows):
        assert n_records
        counts = {"certain": rows["n_certain"], "guess": rows["n_modal"]}
        priors = _units(rows.iloc[:1], n_records, "prior")
        return {"records": n_records, "scale": n_records} | _series(counts, priors)
    shares = _units(rows, _THOUSANDTHS, "posterior")
    priors = _units(rows.iloc[:1], _THOUSANDTHS, "prior")
    alone = {"counts": rows["n_certain"]}
    none = {"counts": pd.Series([0])}
    return {"records": n_records, "scale": _THOUSANDTHS} | _series(
        shares | alone, priors | none
    )


def _units(rows: pd.DataFrame, scale: int, which: str) -> dict[str, pd.Series]:
    """Return shares that are multiples of 1/scale as these multiples."""
    return {
        "certain": (rows[f"{which}_det"] * scale).round(),
        "guess": (rows[f"{which}_prob"] * scale).round(),
    }


def _series(
    numbers: Mapping[str, pd.Series], first: Mapping[str, pd.Series]
) -> dict[str, Any]:
    """Return each series as its number without any fact, and the steps from it."""
    written: dict[str, Any] = {}
    for name, values in numbers.items():
        start = _whole(first[name].iloc[0])
        written[name] = [start, *steps([start, *map(_whole, values)])]
    return written


def _whole(value: float) -> Number:
    return None if pd.isna(value) else int(value)
