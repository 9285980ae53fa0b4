"""A part of a page that any family of measures can fill, and its figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import product
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.base.errors import StudyError
from microleak.figures.words import Words
from microleak.report.texts import Voice, voice

_MOST_BYTES = 100
_DIGITS = 16


def figure_name(*names: str, language: str) -> str:
    """Name a figure's file by its family, its analysis and what it shows.

    Examples
    --------
    >>> figure_name("noise", "race-by-age", "epsilon", language="pt")
    'noise-race-by-age-epsilon.pt.svg'
    """
    return f"{'-'.join(names)}.{language}.svg"


def of_attribute(name: str, attribute: str) -> str:
    """Name what is of one attribute; no analysis's name has a `+`.

    Examples
    --------
    >>> of_attribute("values", "X/Y"), of_attribute("values", "")
    ('values+X%2FY', 'values')
    """
    return f"{name}+{file_name(attribute)}" if attribute else name


def file_name(attribute: str) -> str:
    """Write an attribute's name so that it can be part of a file's.

    No two attributes have the same. Of more than 100 bytes, as a question of a survey
    may have, it is the beginning and a hash, as file systems allow 255 in all.

    Examples
    --------
    >>> file_name("X/Y"), file_name("X%2FY")
    ('X%2FY', 'X%252FY')
    """
    escaped = attribute.replace("%", "%25").replace("/", "%2F").encode()
    if len(escaped) <= _MOST_BYTES:
        return escaped.decode()
    # No escaped name has `%-` in it.
    end = f"%-{sha256(escaped).hexdigest()[:_DIGITS]}"
    return escaped[: _MOST_BYTES - len(end)].decode(errors="ignore") + end


@dataclass(frozen=True)
class Undrawn:
    """A figure before it is drawn in any language.

    Attributes
    ----------
    names
        Its family, its analysis and what it shows, as `figure_name` takes them.
    draw
        Returns its SVG text in a language's words.
    is_synthetic
        Whether it must say SYNTHETIC.
    """

    names: tuple[str, ...]
    draw: Callable[[Words], str]
    is_synthetic: bool

    def drawn(self, language: str) -> tuple[str, str]:
        """Return its file's name and its SVG text in a language."""
        words = voice(language).words(self.is_synthetic)
        return figure_name(*self.names, language=language), self.draw(words)


def in_languages(
    figures: Iterable[Undrawn], languages: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield figures as their files' names and SVG texts, language by language.

    Raises
    ------
    StudyError
        If there are no texts in one of the languages.
    """
    for language, figure in product(languages, list(figures)):
        yield figure.drawn(language)


NOTHING = "–"
"""Stands for what does not apply, as k-map without a population."""


def figure_of(figures: Mapping[str, str], path: str) -> Markup:
    """Return a figure as markup that a page may hold.

    Raises
    ------
    StudyError
        If it was not drawn.
    """
    if path not in figures:
        raise StudyError(
            f"The report lacks the figure {path}. "
            "Draw the figures again in the languages of report.languages."
        )
    return Markup(figures[path])


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
        The language.
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
