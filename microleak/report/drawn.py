"""Figures by the names of their files, and drawn in each language."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from microleak.base.errors import StudyError
from microleak.base.forks import side_by_side
from microleak.figures.numbers import Words
from microleak.report.texts import Voice

_MOST_BYTES = 100
_DIGITS = 16


def figure_name(*names: str, language: str) -> str:
    """Name a figure's file by its family, its analysis and what it shows.

    >>> figure_name("noise", "race-by-age", "epsilon", language="pt")
    'noise-race-by-age-epsilon.pt.svg'
    """
    return f"{'-'.join(names)}.{language}.svg"


def of_attribute(name: str, attribute: str) -> str:
    """Name what is of one attribute; no analysis's name has a `+`.

    >>> of_attribute("values", "X/Y"), of_attribute("values", "")
    ('values+X%2FY', 'values')
    """
    return f"{name}+{file_name(attribute)}" if attribute else name


def file_name(attribute: str) -> str:
    """Write an attribute's name so that it can be part of a file's, as no other's.

    Of a long one it is the beginning and a hash, as file systems allow 255 bytes.

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
    """A figure before it is drawn in any language."""

    names: tuple[str, ...]  # Its family, its analysis and its kind (`figure_name`)
    draw: Callable[[Words], str]  # Returns its SVG text in a language's words
    is_synthetic: bool  # Whether it must say SYNTHETIC

    def drawn(self, voice: Voice) -> tuple[str, str]:
        """Return its file's name and its SVG text in a language."""
        name = figure_name(*self.names, language=voice.language)
        return name, self.draw(voice.words(self.is_synthetic))


def in_languages(
    figures: Iterable[Undrawn], voices: Sequence[Voice]
) -> Iterator[tuple[str, str]]:
    """Yield figures as their files' names and SVG texts, each in every language."""
    undrawn = list(figures)

    def drawn(voice: Voice) -> Iterator[tuple[str, str]]:
        return (each.drawn(voice) for each in undrawn)

    for in_each in side_by_side(drawn, voices):
        yield from in_each


def figure_of(figures: Mapping[str, str], path: str) -> str:
    """Return the SVG text of a figure."""
    if path not in figures:
        raise StudyError(
            f"The report lacks the figure {path}. "
            "Draw the figures again in the languages of report.languages."
        )
    return figures[path]
