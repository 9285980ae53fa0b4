"""Tick what is known, see the risk: the numbers of every subset, within the page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.attacks.collective.analysis import Scenario
from microleak.attacks.collective.report.contents import Scope, caution
from microleak.attacks.collective.report.findings import attack_kind, certain_row
from microleak.report.page import json_in_page, template
from microleak.report.parts import Filled, Part
from microleak.report.texts import Voice
from microleak.tables import rows as tables

MOST_QIDS = 13
"""Of an analysis with more quasi-identifiers the page would grow too large."""

_PLACEHOLDERS = ("records", "certain", "guess", "leakage")
"""What a sentence says of what is ticked, in the order of `ExplainedAttack.told`."""


@dataclass(frozen=True)
class Fact:
    """A box to tick: an attribute, its plain name, and whether it starts ticked."""

    bit: int
    name: str
    plain: str
    is_ticked: bool


@dataclass(frozen=True)
class ExplainedAttack:
    """An attack, and the sentence in whose `{placeholders}` its numbers go."""

    name: str
    sentence: str
    prior: str
    # Of each panel the numbers of every subset, by the bits of its facts
    told: tuple[tuple[tuple[str, ...], ...], ...]


@dataclass(frozen=True)
class Explorer:
    """The boxes of one analysis in one language, ready for the template."""

    analysis: str
    anchor: str
    one: str  # What a record stands for
    caution: str
    facts: tuple[Fact, ...]
    panels: tuple[str, ...]  # The releases that are linked, fewest first
    attacks: tuple[ExplainedAttack, ...]

    @property
    def numbers(self) -> Markup:
        """All written numbers, by panel and attack, as JSON that HTML may hold."""
        by_panel = zip(*(attack.told for attack in self.attacks), strict=True)
        return json_in_page(list(by_panel))


def is_explorable(collective: pd.DataFrame) -> bool:
    """Return whether all subsets of an analysis were measured, and are few enough."""
    rows = tables.with_text(collective)
    n_qids = len(tables.all_qids(rows))
    return n_qids <= MOST_QIDS and rows["qids"].nunique() == 2**n_qids - 1


def explorer(
    collective: pd.DataFrame,
    worst: pd.DataFrame,
    adversaries: Sequence[Scenario],
    scope: Scope,
) -> Part:
    """Return the boxes of one analysis, as a part that fills itself."""
    boxes = boxes_of(collective, worst, adversaries, scope)
    page = template(Path(__file__).parent, "explorer.html.j2")
    html = Markup(page.render(boxes=boxes, voice=scope.voice))
    return Part(boxes.anchor, boxes.analysis, "", "", body=(Filled(html),))


def boxes_of(
    collective: pd.DataFrame,
    worst: pd.DataFrame,
    adversaries: Sequence[Scenario],
    scope: Scope,
) -> Explorer:
    """Return the boxes of one analysis, with the parameters of `explorer`."""
    analysis = collective["analysis"].iloc[0]
    # At first the facts that the first finding of its chapter is about.
    ticked = [*(who.qids for who in adversaries), tables.qids_of(certain_row(worst))][0]
    bits = {name: 1 << i for i, name in enumerate(tables.all_qids(collective))}
    return Explorer(
        analysis=analysis,
        anchor=f"{scope.voice.language}-{quote(analysis)}-known",
        one=scope.voice.texts["unit"][scope.unit]["one"],
        caution=caution(scope.drawn, scope.voice).text,
        facts=tuple(
            Fact(bit, name, scope.voice.attribute(name), name in ticked)
            for name, bit in bits.items()
        ),
        panels=tuple(tables.by_panel(collective)),
        attacks=tuple(
            _attack(rows, bits, scope.voice)
            for rows in tables.by_subject(collective).values()
        ),
    )


def _attack(
    rows: pd.DataFrame, bits: Mapping[str, int], voice: Voice
) -> ExplainedAttack:
    first = rows.iloc[0]
    blanks = {name: f"{{{name}}}" for name in _PLACEHOLDERS}
    sentence = voice.say(f"explorer.{attack_kind(first)}", first, **blanks)
    told = (_told(panel, bits, voice) for panel in tables.by_panel(rows).values())
    prior = voice.numbers.share(first["prior_prob"])
    name = voice.subject(first["sensitive"])
    return ExplainedAttack(name, sentence, prior, tuple(map(tuple, told)))


def _told(
    rows: pd.DataFrame, bits: Mapping[str, int], voice: Voice
) -> Iterator[tuple[str, ...]]:
    """Write the numbers of every subset of one panel, by its bits, and the priors."""
    first, numbers = rows.iloc[0], voice.numbers
    n_records = int(first["n_records"])
    subsets = [sum(bits[q] for q in names.split("|")) for names in rows["qids"]]
    ordered = rows.assign(subset=subsets).sort_values("subset")
    nothing = round(first["prior_det"] * n_records)
    columns = ("n_certain", "posterior_det", "posterior_prob", "additive_leakage")
    for certain, det, prob, leakage in (
        (nothing, first["prior_det"], first["prior_prob"], 0.0),
        *zip(*(ordered[c] for c in columns), strict=True),
    ):
        yield (
            numbers.count(certain),
            numbers.share(det),
            numbers.share(prob),
            numbers.points(leakage),
        )
