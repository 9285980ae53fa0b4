"""Families of attacks that fill a report, and how each does."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Protocol

from microleak.figures.numbers import Words
from microleak.report.contents import Headline, Tables
from microleak.report.drawn import Undrawn
from microleak.report.face_value import doubted
from microleak.report.parts import (
    Chapter,
    Element,
    Part,
    Place,
    Reply,
    Sentences,
    TablesByKind,
    defined_once,
)
from microleak.report.texts import Voice
from microleak.tables.rows import all_qids

FigureTexts = Mapping[str, str]
TableReleases = Collection[tuple[str, str]]

Draw = Callable[[Any, Words], str]
"""Draws a figure of what was found, as an `<svg>`."""


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


def main_release(told: Any) -> Iterator[tuple[str, str]]:
    """Yield the table and the release that a table of results is of."""
    yield told["table"].iloc[0], told["focal"].iloc[0]


def what_is_known(told: Any, place: Place, **more: str) -> Iterator[str]:
    """Yield what was measured, and which attributes are taken to be known."""
    yield place.say("measured", told.iloc[0], **more)
    yield place.known(all_qids(told))


@dataclass(frozen=True)
class EachAnalysis:
    """How a family is shown of which each analysis is a part of the first page.

    A part has a heading, what was measured of whom, sentences, figures, tables, words
    that it uses, and its result tables as files. It is made of what `found` returns,
    given these. A function is given that, or what `told` leaves of it, and the place of
    the part: `place.say("heading", row)` is the phrase of that name of `part` in the
    family's texts.yaml, filled by the columns of a row, and `place.grid(rows, columns)`
    a table with the headings `column_NAME`.
    """

    family: str
    _: KW_ONLY
    tables: tuple[str, ...] = ()  # Without any, that of the family's name
    found: Callable[..., Any] = lambda rows: rows  # None stands for one it has not
    told: Callable[[Any], Any] = lambda found: found
    # Given what is told
    heading: Callable[[Any, Place], str]
    measured: Callable[[Any, Place], Iterable[str]] = what_is_known
    drawings: Callable[[Any], Mapping[str, Draw]] = lambda _: {}  # Figures by kind
    caption: Callable[[Any, str, Place], str] = lambda _, kind, place: place.say(
        f"caption_{kind}"
    )
    releases: Callable[[Any], Iterable[tuple[str, str]]] = main_release
    # Given all that was found
    sentences: Callable[[Any, Place], Iterable[str]]
    grids: Callable[[Any, Place], Iterable[Element]] = lambda *_: ()  # Tables
    words: Callable[[Any], Iterable[str]] = lambda _: ()  # Keys of `words`
    replies: Callable[[Any, Place], Iterable[Reply]] = lambda *_: ()
    kicker: Callable[[Any], str] = lambda _: "kicker"  # Key of the first line
    warning: str = ""  # Key of what a reader must know before
    script: str = ""

    @property
    def topics(self) -> frozenset[str]:
        """The family's name."""
        return frozenset([self.family])

    def analyses(self, tables: TablesByKind) -> Iterator[tuple[str, Any]]:
        """Yield what was found in each analysis, with its name."""
        kinds = [tables.get(kind, {}) for kind in self.tables or [self.family]]
        for name in kinds[0]:
            yield name, self.found(*(each.get(name) for each in kinds))

    def drawn(
        self, name: str, found: Any, synthetic: TableReleases
    ) -> Iterator[Undrawn]:
        """Yield the figures of an analysis."""
        told = self.told(found)
        is_synthetic = not {*self.releases(told)}.isdisjoint(synthetic)
        for kind, draw in self.drawings(told).items():
            yield Undrawn((self.family, name, kind), partial(draw, told), is_synthetic)

    def part(self, found: Any, place: Place) -> Part:
        """Return the part of an analysis."""
        told = self.told(found)
        return place.part(
            kicker=self.kicker(found),
            heading=self.heading(told, place),
            measured=tuple(self.measured(told, place)),
            body=(
                Sentences(tuple(self.sentences(found, place))),
                *(
                    place.drawing(kind, self.caption(told, kind, place))
                    for kind in self.drawings(told)
                ),
                *self.grids(found, place),
            ),
            downloads=place.downloads(),
            warning=place.say(self.warning) if self.warning else "",
            replies=tuple(self.replies(found, place)),
        )

    def chapters(
        self, study: Headline, tables: Tables, figures: FigureTexts, voice: Voice
    ) -> Iterator[Chapter]:
        """Yield the parts of its analyses, as `Shown` has it."""
        parts = self._parts(study, tables, figures, voice)
        # Each defines the words that it uses and none before it does.
        words = voice.texts.get(f"{self.family}_definitions", {})
        if told := tuple(defined_once(parts, words)):
            yield Chapter(told, self.topics)

    def _parts(
        self, study: Headline, tables: Tables, figures: FigureTexts, voice: Voice
    ) -> Iterator[tuple[Part, Iterable[str]]]:
        """Yield its parts, each with the words that it uses."""
        facts = study.families.get(self.family, {})
        drawn = study.drawn.get(self.family, {})
        kinds = {kind: tables.of(kind) for kind in self.tables or [self.family]}
        for name, found in self.analyses(tables.analyses):
            files = [kind for kind, rows in kinds.items() if len(rows.get(name, ()))]
            place = Place(self.family, name, figures, voice, facts, files)
            told = doubted(self.part(found, place), drawn.get(name, {}), voice)
            yield told, self.words(found)

    def figures(self, study: Headline, tables: Tables) -> Iterator[Undrawn]:
        """Yield the figures of its analyses, as `Shown` has it."""
        for name, found in self.analyses(tables.analyses):
            yield from self.drawn(name, found, study.synthetic)


Families = Mapping[str, Shown]
"""By their names below `analyses` of a study file, in the order of the page."""
