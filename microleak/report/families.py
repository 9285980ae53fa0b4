"""Families of measures that fill parts of a page, and how each does."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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
Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Shown(Generic[Measured]):
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

    analyses: Callable[[Rows], Iterator[tuple[str, Measured]]]
    figures: Callable[[str, Measured, Releases], Iterator[Undrawn]]
    part: Callable[[Measured, Place], Part]
    words: Callable[[Measured], Iterable[str]] = lambda _: ()


Families = Mapping[str, Shown[Any]]
"""By their names below `analyses` of a study file, in the order of the page."""


def family_parts(
    families: Families, tables: Rows, figures: Figures, voice: Voice
) -> Iterator[Part]:
    """Yield the part of each analysis of every family, in the order of the page.

    Each part defines the words that it uses and none of its family before it does.

    Parameters
    ----------
    families
        Those whose parts the page may have.
    tables
        Tables by their names.
    figures
        SVG texts by their path.
    voice
        The language.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    for name, family in families.items():
        parts = (
            (
                family.part(shown, Place(name, analysis, figures, voice)),
                family.words(shown),
            )
            for analysis, shown in family.analyses(tables)
        )
        yield from defined_once(parts, voice.texts.get(f"{name}_definitions", {}))


def draw_families(
    families: Families, tables: Rows, languages: Sequence[str], synthetic: Releases
) -> Iterator[tuple[str, str]]:
    """Yield the figures of every family, as their paths and SVG texts.

    Parameters
    ----------
    families
        Those whose parts the page may have.
    tables
        Tables by their names.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Tables and releases that a twin made.

    Raises
    ------
    StudyError
        If there are no texts in one of the languages.
    """
    for family in families.values():
        for analysis, shown in family.analyses(tables):
            figures = family.figures(analysis, shown, synthetic)
            yield from in_languages(figures, languages)
