"""A part of a page that any family of measures can fill."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.report.drawing import figure_of
from microleak.report.texts import Voice
from microleak.report.undrawn import figure_name

Rows = Mapping[str, Mapping[str, pd.DataFrame]]
"""Tables by family, as `measures/FAMILY/ANALYSIS.csv`, and then by analysis."""


@dataclass(frozen=True)
class Grid:
    """A table as the page shows it, its cells written.

    Attributes
    ----------
    caption
        What the table is of.
    headings
        One a column.
    rows
        Cells, as many as headings in each; the first names the row.
    n_texts
        How many columns, from the left, have words; the others have numbers.
    is_folded
        Whether the reader opens it, as the numbers behind a figure.
    """

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_texts: int = 1
    is_folded: bool = False


@dataclass(frozen=True)
class Drawing:
    """A figure and what it shows."""

    svg: Markup
    caption: str


@dataclass(frozen=True)
class Place:
    """Where the part of one analysis is, and what it is filled from.

    Attributes
    ----------
    family
        Name below `analyses` of a study file.
    analysis
        Name in the study file.
    figures
        SVG texts by their path.
    voice
        The language and audience.
    """

    family: str
    analysis: str
    figures: Mapping[str, str]
    voice: Voice

    @property
    def anchor(self) -> str:
        """Where the part is on its page; no name of an analysis has a colon."""
        return f"{self.voice.language}-{self.family}:{quote(self.analysis)}"

    def drawing(self, kind: str, caption: str) -> Drawing:
        """Return the figure of a kind.

        Raises
        ------
        StudyError
            If it was not drawn.
        """
        names = self.family, self.analysis, kind
        path = figure_name(*names, language=self.voice.language)
        return Drawing(figure_of(self.figures, path), caption)

    def download(self, table: str, said: str) -> tuple[str, str]:
        """Return the path of a table's CSV beside the page, and what it is called."""
        return f"data/{self.analysis}-{table}.csv", said


@dataclass(frozen=True)
class Part:
    """One analysis or a subject of it, ready for the template.

    Attributes
    ----------
    anchor
        Where it is on its page, with the language.
    analysis
        Name in the study file.
    kicker
        Its subject in a few words.
    heading
        What was found, as a sentence without its full stop.
    measured
        What was measured and of whom, in sentences.
    sentences
        Further findings.
    drawings, grids
        Figures, and tables below them.
    definitions
        Terms of its numbers and what each means, with its source.
    downloads
        Paths of the CSV beside the page, and what each is called.
    warning
        What a reader must know before the numbers, if anything.
    """

    anchor: str
    analysis: str
    kicker: str
    heading: str
    measured: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    grids: tuple[Grid, ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()
    downloads: tuple[tuple[str, str], ...] = ()
    warning: str = ""


def defined_once(
    parts: Iterable[tuple[Part, Iterable[str]]],
    definitions: Mapping[str, Mapping[str, str]],
) -> Iterator[Part]:
    """Yield parts with the definitions of words that no part before them has.

    Parameters
    ----------
    parts
        Parts in the order of the page, each with the words that it uses, by their
        names in `definitions`.
    definitions
        Of each word the `term` and the `text`.
    """
    told: set[str] = set()
    for part, words in parts:
        new = [word for word in dict.fromkeys(words) if word not in told]
        told.update(new)
        own = [definitions[word] for word in new]
        yield replace(part, definitions=tuple((d["term"], d["text"]) for d in own))
