"""A part of a page that any family of measures can fill."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, ClassVar
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.figures.numbers import SYNTHETIC_MARK, TableRow, written
from microleak.figures.slim import InPage, in_page
from microleak.report.drawn import figure_name, figure_of
from microleak.report.texts import Voice


def definition_anchor(word: str, voice: Voice) -> str:
    """Return where a page explains a word, by its name among the texts."""
    return f"{voice.language}-term-{word}"


NOTHING = "–"
"""Stands for what does not apply, as k-map without a population."""


TablesByKind = Mapping[str, Mapping[str, pd.DataFrame]]
"""Tables by family, as `measures/FAMILY/ANALYSIS.csv`, and then by analysis."""


@dataclass(frozen=True)
class Names:
    """A cell of attributes, which a reader can search for."""

    names: tuple[str, ...]  # As the data have them
    explained: tuple[str, ...]  # As a reader may look for them
    marks: tuple[str, ...] = ()  # What is special about the row

    @classmethod
    def of(cls, names: Sequence[str], voice: Voice, *marks: str) -> "Names":
        """Return the cell of some attributes in a language."""
        return cls(tuple(names), tuple(map(voice.explained, names)), marks)


@dataclass(frozen=True)
class Link:
    """A cell that leads elsewhere."""

    text: str
    href: str


Cell = str | Names | Link
"""A cell of a table; a line break in a text is one on the page."""


@dataclass(frozen=True)
class Grid:
    """A table as the page shows it, its cells written."""

    kind: ClassVar = "grid"

    caption: str  # What the table is of
    headings: tuple[str, ...]  # One a column
    rows: tuple[tuple[Cell, ...], ...]  # Cells, as many as headings in each
    n_texts: int = 1  # How many columns, from the left, have words
    over: tuple[tuple[str, int], ...] = ()
    is_folded: bool = False
    anchors: tuple[str, ...] = ()  # Where rows are on their page, of the first ones

    @property
    def n_alone(self) -> int:
        """How many columns, from the left, have nothing above their headings."""
        return len(self.headings) - sum(n for _, n in self.over)

    @property
    def firsts(self) -> frozenset[int]:
        """Columns that are the first below what stands above them."""
        ends = accumulate((n for _, n in self.over), initial=self.n_alone)
        return frozenset(ends) if self.over else frozenset()

    @property
    def style(self) -> str:
        """How wide it is, and whether each row is a card where a page is narrow."""
        if any(isinstance(cell, Names) for row in self.rows for cell in row):
            return "worst" if self.over else ""
        if len(self.headings) > 8:
            return "pairs many"
        return "pairs" if self.over else "pairs cards"


GridColumn = str | tuple[str, Callable[[Any], Cell]]
"""A column as `name`, `name:how` or `heading=name:how`, or what writes its cells.

It is written as a placeholder of a phrase (`microleak.figures.numbers.filled`);
`name:names` is a cell of attributes.
"""


def grid(
    voice: Voice,
    section: str,
    rows: pd.DataFrame,
    columns: Sequence[GridColumn],
    *,
    caption: str,
    missing: str = "",
    **look: Any,
) -> Grid:
    """Lay out rows of a result table; `missing` stands where a row has no number.

    Headings are `column_HEADING` of a section of the texts, or else of `page`.
    """
    given = [_heading_and_cells(each, missing, voice) for each in columns]
    return Grid(
        caption=caption,
        headings=voice.columns(section, *(heading for heading, _ in given)),
        rows=tuple(
            tuple(write(row) for _, write in given) for _, row in rows.iterrows()
        ),
        **look,
    )


def _heading_and_cells(
    column: GridColumn, missing: str, voice: Voice
) -> tuple[str, Callable[[Any], Cell]]:
    if not isinstance(column, str):
        return column
    told, _, how = column.partition(":")
    heading, _, name = told.rpartition("=")

    def write(row: pd.Series) -> Cell:
        value = row[name]
        if how == "names":
            return Names.of(value.split("|"), voice)
        return missing if pd.isna(value) else written(name, value, voice, how)

    return heading or name, write


@dataclass(frozen=True)
class Drawing:
    """A figure, as SVG text, and what it shows."""

    kind: ClassVar = "drawing"

    svg: str
    caption: str

    @property
    def shown(self) -> InPage:
        """The figure as the page shows it."""
        return in_page(self.svg)

    @property
    def mark(self) -> str:
        """What marks it as synthetic; empty if it is not."""
        return SYNTHETIC_MARK if f">{SYNTHETIC_MARK}<" in self.svg else ""


@dataclass(frozen=True)
class ShareBar:
    """A share in [0, 1] as it is drawn beside others, and as written."""

    label: str
    share: float
    written: str


@dataclass(frozen=True)
class Bars:
    """Shares on one scale, below what they are shares of."""

    kind: ClassVar = "bars"

    title: str
    bars: tuple[ShareBar, ...]


@dataclass(frozen=True)
class Passage:
    """A text as a `subheading`, `paragraph`, `note` or `code`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Sentences:
    """Sentences, one below the other."""

    kind: ClassVar = "sentences"

    texts: tuple[str, ...]


@dataclass(frozen=True)
class SearchBox:
    """Where a reader types names of attributes, to see only the rows with them."""

    kind: ClassVar = "search"


@dataclass(frozen=True)
class Folded:
    """What the reader opens together; small tables may stand side by side."""

    kind: ClassVar = "folded"

    summary: str
    body: "tuple[Grid | Passage, ...]"
    is_side_by_side: bool = False


@dataclass(frozen=True)
class Filled:
    """What a family fills with a template of its own, as HTML."""

    kind: ClassVar = "filled"

    html: Markup
    # JSON for a script by the `id` of its element, once for all languages
    data: Mapping[str, Markup] = field(default_factory=dict)


Element = Passage | Sentences | Drawing | Bars | Grid | SearchBox | Folded | Filled
"""What a part has below its heading."""


@dataclass(frozen=True)
class Place:
    """Where the part of one analysis is, and what it is filled from."""

    family: str  # Name below `analyses` of a study file
    analysis: str  # Name in the study file
    figures: Mapping[str, str]  # SVG texts by their path
    voice: Voice  # The language
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Sequence[str] = ()  # Its result tables that have rows

    @property
    def anchor(self) -> str:
        """Where the part is on its page; no name of an analysis has a colon."""
        return f"{self.voice.language}-{self.family}:{quote(self.analysis)}"

    def part(self, *, kicker: str = "kicker", **of: Any) -> "Part":
        """Return the part, whose first line is what `FAMILY.KICKER` says."""
        said = self.say(kicker)
        return Part(anchor=self.anchor, analysis=self.analysis, kicker=said, **of)

    def say(self, key: str, row: TableRow = None, /, **values: Any) -> str:
        """Return the phrase of a name that the family's `part` has."""
        told = {"analysis": self.analysis, **values}
        return self.voice.say(f"{self.family}.{key}", row, **told)

    def grid(
        self,
        rows: pd.DataFrame,
        columns: Sequence[GridColumn],
        caption: str = "caption",
        said: Mapping[str, Any] | None = None,
        **look: Any,
    ) -> Grid:
        """Lay out rows as `grid` does; the caption is filled by `said` and a row."""
        first = rows.iloc[0] if len(rows) else None
        text = self.say(caption, first, **said or {})
        return grid(self.voice, self.family, rows, columns, caption=text, **look)

    def known(self, qids: Iterable[str]) -> str:
        """Write which attributes are taken to be known."""
        names = self.voice.listing(map(self.voice.explained, qids))
        return self.voice.say("page.measured_known", names=names)

    def drawing(self, kind: str, caption: str) -> Drawing:
        """Return the figure of a kind."""
        names = self.family, self.analysis, kind
        path = figure_name(*names, language=self.voice.language)
        return Drawing(figure_of(self.figures, path), caption)

    def sources(self, table: str) -> tuple[Link, Link, Link]:
        """Return where a reply's row, its equation and the file of a table are."""
        say, part = self.voice.say, f"#{self.anchor}"
        return (
            Link(say("answer.row"), f"{part}-row"),
            Link(say("answer.equation"), f"{part}-definitions"),
            Link(say("answer.file"), self.path(table)),
        )

    def path(self, table: str) -> str:
        """Return where the CSV of a table is, beside the page."""
        return f"data/{self.analysis}-{table}.csv"

    def downloads(self) -> tuple[tuple[str, str], ...]:
        """Return its files, each called as `FAMILY.download_TABLE` says."""
        named = {self.path(table): f"download_{table}" for table in self.files}
        return tuple((path, self.say(key)) for path, key in named.items())


def limits_link(voice: Voice) -> Link:
    """Return where a page says what its numbers do not say."""
    anchor = f"#{voice.language}-limits"
    return Link(voice.say("glossary_page.limits_heading"), anchor)


QUESTIONS = ("find", "learn", "change", "help", "sure")
"""What a reader asks first, in the order of the first screen."""


OF_ALL = -1
"""Rank of a reply about all releases together."""


@dataclass(frozen=True)
class Reply:
    """What a part replies to one of `QUESTIONS`."""

    question: str  # One of them
    text: str  # The reply, in sentences
    href: str  # Where the part is
    sources: tuple[Link, ...] = ()
    picture: Drawing | Bars | None = None
    rank: int = 0  # Those with a lower one are preferred


@dataclass(frozen=True)
class Line:
    """A finding in a sentence, and a link; either may be empty."""

    text: str
    href: str = ""
    link: str = ""


@dataclass(frozen=True)
class Said:
    """Further findings that stand together, with a heading above them or none."""

    lines: tuple[Line, ...]
    heading: str = ""


@dataclass(frozen=True)
class Part:
    """One analysis or a subject of it, ready for the template."""

    anchor: str  # Where it is on its page, with the language
    analysis: str  # Name in the study file
    kicker: str  # Its subject in a few words, if its analysis has several
    heading: str  # What was found, as a sentence without its full stop
    measured: tuple[str, ...] = ()  # What was measured and of whom, in sentences
    said: tuple[Said, ...] | None = None  # What further findings say of it
    body: tuple[Element, ...] = ()  # All that stands below its heading
    definitions: tuple[tuple[str, str], ...] = ()
    downloads: tuple[tuple[str, str], ...] = ()
    warning: str = ""  # What a reader must know before the numbers, if anything
    caution: Line = Line("")
    replies: tuple[Reply, ...] = ()  # To questions of the first screen
    release: str = ""

    def with_others(
        self, first: Sequence["Element"], left_out: Sequence["Element"]
    ) -> "Part":
        """Return it with other elements first in its body, and without some."""
        rest = (each for each in self.body if each not in left_out)
        return replace(self, body=(*first, *rest))

    @property
    def named(self) -> str:
        """Its analysis, with the protected release that it is of."""
        return f"{self.analysis} ({self.release})" if self.release else self.analysis

    @property
    def open(self) -> tuple[Element, ...]:
        """What is seen of its body at once: sentences, figure or table, and shares."""
        first = next((e for e in self.body if isinstance(e, Sentences)), None)
        seen = next(iter(self.drawings), None) or next(
            (e for e in self.body if isinstance(e, Grid)), None
        )
        return tuple(
            e for e in self.body if isinstance(e, Bars) or e is first or e is seen
        )

    @property
    def folded(self) -> tuple[Element, ...]:
        """What a reader opens."""
        seen = self.open
        return tuple(e for e in self.body if not any(e is other for other in seen))

    @property
    def answer(self) -> tuple[Said, ...]:
        """What further findings say of it."""
        if self.said is not None:
            return self.said
        return (Said((Line(f"{self.heading}.", f"#{self.anchor}", self.kicker),)),)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences of its body."""
        found = (e.texts for e in self.body if isinstance(e, Sentences))
        return tuple(text for texts in found for text in texts)

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """Figures of its body."""
        return tuple(e for e in self.body if isinstance(e, Drawing))

    @property
    def grids(self) -> tuple[Grid, ...]:
        """Tables of its body, folded ones too."""
        flat = (e.body if isinstance(e, Folded) else (e,) for e in self.body)
        return tuple(e for several in flat for e in several if isinstance(e, Grid))


@dataclass(frozen=True)
class Chapter:
    """Parts that stand on one page."""

    parts: tuple[Part, ...]  # In the order of the page
    topics: frozenset[str]  # What it is about, by which the page explains words
    page: str = ""  # Name of the analysis whose page it is alone on
    release: tuple[str, str] = ("", "")  # Table and release that such a page is about
    limits: tuple[Line, ...] = ()


def defined_once(
    parts: Iterable[tuple[Part, Iterable[str]]],
    definitions: Mapping[str, Mapping[str, str]],
) -> Iterator[Part]:
    """Yield parts with the definitions of words that no part before them has."""
    told: set[str] = set()
    for part, words in parts:
        new = [word for word in dict.fromkeys(words) if word not in told]
        told.update(new)
        own = [definitions[word] for word in new]
        yield replace(part, definitions=tuple((d["term"], d["text"]) for d in own))
