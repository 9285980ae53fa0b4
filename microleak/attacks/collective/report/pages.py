"""How collective attacks are shown: a chapter on each page of the report."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from microleak.attacks.collective.report.chapters import Attacked, attacked, parts_of
from microleak.attacks.collective.report.comparison import comparison_parts
from microleak.attacks.collective.report.contents import Facts, Measures
from microleak.attacks.collective.report.drawing import comparisons_drawn, states_drawn
from microleak.attacks.collective.report.states import states_parts
from microleak.attacks.collective.report.wholes import Release, release_of, whole_parts
from microleak.report.contents import Headline, Tables
from microleak.report.parts import Chapter, Undrawn
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_ALWAYS = frozenset(
    (
        *("collective", "knowledge", "guess"),
        *("deterministic", "probabilistic", "difference", "ratio", "leakage"),
    )
)
"""Topics of every chapter."""


class _Shown:
    """How the family is shown (`microleak.report.families.Shown`)."""

    topics = _ALWAYS | {"longitudinal", "importance", "group", "states"}
    script = Path(__file__).with_name("explorer.js").read_text(encoding="utf-8")

    def chapters(
        self, study: Headline, given: Tables, figures: Mapping[str, str], voice: Voice
    ) -> Iterator[Chapter]:
        """Yield the chapter of each release of an analysis of many, then all others."""
        if not given.of("collective"):
            return
        facts, measures = Facts.of(study), Measures.of(study, given)
        states = list(states_parts(facts, measures, figures, voice))
        told = frozenset[tuple[str, str]]().union(*(each.told for each in states))
        alone: list[Attacked] = []
        released: list[Release] = []
        for each in attacked(facts, measures, figures, voice):
            if each.part_of:
                released.append(release_of(each))
                yield Chapter(
                    parts_of(each, frozenset()),
                    _ALWAYS | _of_own_page(each),
                    each.analysis,
                    (each.table, each.focal),
                )
            else:
                alone.append(each)
        yield Chapter(
            (
                *(each.part for each in states),
                *whole_parts(released, told, voice),
                *(part for each in alone for part in parts_of(each, told)),
                *comparison_parts(facts, measures.compared(), figures, voice),
            ),
            _ALWAYS | _topics(measures, has_states=bool(states)),
        )

    def figures(self, study: Headline, given: Tables) -> Iterator[Undrawn]:
        """Yield those that compare releases or states; a step draws the others."""
        if given.of("collective"):
            measures = Measures.of(study, given)
            compared = measures.compared()
            yield from comparisons_drawn(compared, study.releases, study.synthetic)
            yield from states_drawn(measures.side_by_side(), study.synthetic)


def _of_own_page(each: Attacked) -> frozenset[str]:
    found = {"importance": each.has_importance, "group": bool(each.groups)}
    return frozenset(topic for topic, is_there in found.items() if is_there)


def _topics(measures: Measures, has_states: bool) -> frozenset[str]:
    linked = (tables.with_text(rows) for rows in measures.collective.values())
    found = {
        "longitudinal": any(rows["auxiliary"].any() for rows in linked),
        "importance": any(len(rows) for rows in measures.importance.values()),
        "group": bool(measures.groups),
        "states": has_states,
    }
    return frozenset(topic for topic, is_there in found.items() if is_there)


SHOWN = _Shown()
