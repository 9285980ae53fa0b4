"""Families of measures that fill parts of a page, and how each does."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from microleak.attacks.anonymity.report.part import (
    anonymity_analyses,
    anonymity_figures,
    anonymity_part,
)
from microleak.attacks.mechanism.report.part import (
    mechanism_figures,
    mechanism_part,
    mechanism_words,
    noisy_counts,
)
from microleak.attacks.membership.report import (
    membership_figures,
    membership_part,
    membership_words,
    memberships,
)
from microleak.attacks.reconstruction.report.part import (
    reconstruction_figures,
    reconstruction_part,
    reconstruction_words,
    reconstructions,
)
from microleak.report.parts import (
    Part,
    Place,
    Rows,
    Undrawn,
    defined_once,
    in_languages,
)
from microleak.report.texts import Voice

Figures = Mapping[str, str]
Releases = Collection[tuple[str, str]]
Shown = TypeVar("Shown")


@dataclass(frozen=True)
class Family(Generic[Shown]):
    """How one kind of analyses is shown.

    Its tables are those that its family measures.

    Attributes
    ----------
    analyses
        What was measured in each analysis, with its name, in the order of the tables.
    figures
        Figures of one analysis, from its name, what was measured and the releases
        that a twin made. No path has a `/`.
    part
        Part of a page of one analysis.
    words
        The words that a part uses, by their names among the texts'
        `FAMILY_definitions`; none where there are no such texts.
    """

    analyses: Callable[[Rows], Iterator[tuple[str, Shown]]]
    figures: Callable[[str, Shown, Releases], Iterator[Undrawn]]
    part: Callable[[Shown, Place], Part]
    words: Callable[[Shown], Iterable[str]] = lambda _: ()


SHOWN: dict[str, Family[Any]] = {
    "membership": Family(
        memberships, membership_figures, membership_part, membership_words
    ),
    "anonymity": Family(anonymity_analyses, anonymity_figures, anonymity_part),
    "mechanism": Family(
        noisy_counts, mechanism_figures, mechanism_part, mechanism_words
    ),
    "reconstruction": Family(
        reconstructions,
        reconstruction_figures,
        reconstruction_part,
        reconstruction_words,
    ),
}
"""By their names below `analyses` of a study file, in the order of the page."""


def family_parts(tables: Rows, figures: Figures, voice: Voice) -> Iterator[Part]:
    """Yield the part of each analysis of every family, in the order of the page.

    Each part defines the words that it uses and none of its family before it does.

    Parameters
    ----------
    tables
        Tables by family, for a public report the published ones.
    figures
        SVG texts by their path.
    voice
        The language.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    for name, family in SHOWN.items():
        parts = (
            (
                family.part(shown, Place(name, analysis, figures, voice)),
                family.words(shown),
            )
            for analysis, shown in family.analyses(tables)
        )
        yield from defined_once(parts, voice.texts.get(f"{name}_definitions", {}))


def draw_families(
    tables: Rows, languages: Sequence[str], synthetic: Releases
) -> Iterator[tuple[str, str]]:
    """Yield the figures of every family, as their paths and SVG texts.

    Parameters
    ----------
    tables
        Tables by family, for a public report the published ones.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Tables and releases that a twin made.

    Raises
    ------
    StudyError
        If there are no texts in one of the languages.
    """
    for family in SHOWN.values():
        for analysis, shown in family.analyses(tables):
            figures = family.figures(analysis, shown, synthetic)
            yield from in_languages(figures, languages)
