"""Families of attacks that fill a report, and how each does."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import pandas as pd

from microleak.figures.numbers import Words
from microleak.report.contents import Headline, Tables
from microleak.report.drawn import Undrawn
from microleak.report.face_value import doubted
from microleak.report.parts import Chapter, Part, Place, TablesByKind, defined_once
from microleak.report.texts import Voice

FigureTexts = Mapping[str, str]
TableReleases = Collection[tuple[str, str]]
MeasuredType = TypeVar("MeasuredType")


class Shown(Protocol):
    """How a family is shown."""

    @property
    def topics(self) -> frozenset[str]:
        """All that its chapters may be about."""

    @property
    def script(self) -> str:
        """JavaScript that its parts need, if they do."""

    def chapters(
        self, study: Headline, tables: Tables, figures: FigureTexts, voice: Voice
    ) -> Iterator[Chapter]:
        """Yield its parts of the report in a language, those of a page together.

        There are as many in each language, in the same order; those with a page of
        their own come first.
        """

    def figures(self, study: Headline, tables: Tables) -> Iterator[Undrawn]:
        """Yield its figures but those that steps of its own draw."""


@dataclass(frozen=True)
class PartEach(Generic[MeasuredType]):
    """How a family is shown of which each analysis is a part of the first page."""

    family: str  # Its name
    analyses: Callable[[TablesByKind], Iterator[tuple[str, MeasuredType]]]
    drawn: Callable[[str, MeasuredType, TableReleases], Iterator[Undrawn]]
    part: Callable[[MeasuredType, Place], Part]  # Part of a page of one analysis
    words: Callable[[MeasuredType], Iterable[str]] = lambda _: ()
    script: str = ""

    @property
    def topics(self) -> frozenset[str]:
        """The family's name."""
        return frozenset([self.family])

    def chapters(
        self, study: Headline, tables: Tables, figures: FigureTexts, voice: Voice
    ) -> Iterator[Chapter]:
        """Yield the parts of its analyses, as `Shown` has it.

        Each defines the words that it uses and none before it does, and says where
        what it finds may be false.
        """
        facts = study.families.get(self.family, {})
        drawn = study.drawn.get(self.family, {})
        parts = (
            (
                doubted(
                    self.part(found, Place(self.family, name, figures, voice, facts)),
                    drawn.get(name, {}),
                    voice,
                ),
                self.words(found),
            )
            for name, found in self.analyses(tables.analyses)
        )
        words = voice.texts.get(f"{self.family}_definitions", {})
        if told := tuple(defined_once(parts, words)):
            yield Chapter(told, self.topics)

    def figures(self, study: Headline, tables: Tables) -> Iterator[Undrawn]:
        """Yield the figures of its analyses, as `Shown` has it."""
        for name, found in self.analyses(tables.analyses):
            yield from self.drawn(name, found, study.synthetic)


def one_figure(
    family: str, figure: str, draw: Callable[[pd.DataFrame, Words], str]
) -> Callable[[str, pd.DataFrame, TableReleases], Iterator[Undrawn]]:
    """Return what draws one figure of each analysis of which one table was measured."""

    def drawn(
        name: str, rows: pd.DataFrame, synthetic: TableReleases
    ) -> Iterator[Undrawn]:
        names = family, name, figure
        yield Undrawn.of_release(names, partial(draw, rows), rows.iloc[0], synthetic)

    return drawn


Families = Mapping[str, Shown]
"""By their names below `analyses` of a study file, in the order of the page."""
