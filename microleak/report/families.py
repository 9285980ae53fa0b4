"""Families of measures that fill parts of a page, and how each does."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from microleak.report.anonymity import anonymity_parts
from microleak.report.anonymity_drawing import draw_anonymity
from microleak.report.mechanism import mechanism_parts
from microleak.report.mechanism_drawing import draw_mechanism
from microleak.report.membership import membership_parts
from microleak.report.membership_drawing import draw_membership
from microleak.report.parts import Part, Rows
from microleak.report.reconstruction import reconstruction_parts
from microleak.report.reconstruction_drawing import draw_reconstruction
from microleak.report.texts import Voice

Figures = Mapping[str, str]
Releases = Collection[tuple[str, str]]


@dataclass(frozen=True)
class Family:
    """How one kind of analyses is shown.

    Its tables are those of `microleak.columns.FAMILIES`.

    Attributes
    ----------
    parts
        Parts of a page, from tables, figures and a voice.
    draw
        Figures as paths and SVG texts, from tables, languages and the releases that
        a twin made. No path has a `/`.
    """

    parts: Callable[[Rows, Figures, Voice], Iterator[Part]]
    draw: Callable[[Rows, Sequence[str], Releases], Iterator[tuple[str, str]]]


SHOWN: dict[str, Family] = {
    "membership": Family(membership_parts, draw_membership),
    "anonymity": Family(anonymity_parts, draw_anonymity),
    "mechanism": Family(mechanism_parts, draw_mechanism),
    "reconstruction": Family(reconstruction_parts, draw_reconstruction),
}
"""By their names below `analyses` of a study file, in the order of the page."""


def family_parts(tables: Rows, figures: Figures, voice: Voice) -> Iterator[Part]:
    """Yield the parts of every family, in the order of the page.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    for family in SHOWN.values():
        yield from family.parts(tables, figures, voice)


def draw_families(
    tables: Rows, languages: Sequence[str], synthetic: Releases
) -> Iterator[tuple[str, str]]:
    """Yield the figures of every family, as their paths and SVG texts."""
    for family in SHOWN.values():
        yield from family.draw(tables, languages, synthetic)
