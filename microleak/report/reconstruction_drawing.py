"""Which figures an analysis of rebuilt databases has, and where they are written."""

from collections.abc import Callable, Collection, Iterator, Sequence

from microleak.figures.reconstruction_noise import right_over_noise
from microleak.figures.reconstruction_phase import phase_diagrams
from microleak.figures.reconstruction_rows import Rebuilt, rebuilt
from microleak.figures.words import Words
from microleak.report.parts import Rows
from microleak.report.texts import voice

DRAW: dict[str, Callable[[Rebuilt, Words], str]] = {
    "noise": right_over_noise,
    "phase": phase_diagrams,
}
"""Figures by their kind, in the order of the page."""


def kinds(shown: Rebuilt) -> tuple[str, ...]:
    """Return the kinds of figures that an analysis has; tables say the rest."""
    has = {"noise": bool(shown.panels), "phase": bool(shown.diagrams)}
    return tuple(kind for kind in DRAW if has[kind])


def reconstruction_path(analysis: str, kind: str, language: str) -> str:
    """Path of a figure, in the report's folder.

    Examples
    --------
    >>> reconstruction_path("sqrt", "phase", "pt")
    'reconstruction-sqrt-phase.pt.svg'
    """
    return f"reconstruction-{analysis}-{kind}.{language}.svg"


def reconstructions(families: Rows) -> Iterator[tuple[str, Rebuilt]]:
    """Yield the tables of each analysis of rebuilt databases, with its name."""
    for name, results in families.get("reconstruction", {}).items():
        yield name, rebuilt(results, families["bad_points"][name])


def draw_reconstruction(
    families: Rows, languages: Sequence[str], synthetic: Collection[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the figures of rebuilt databases, as their paths and SVG texts.

    What is drawn for the public describes nobody, and has all its digits.

    Parameters
    ----------
    families
        Tables by family, for a public report the published ones.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Tables and releases that a twin made. Random databases are of none.
    """
    for name, shown in reconstructions(families):
        of = shown.drawn_from
        is_synthetic = of is not None and (of.table, of.release) in synthetic
        for language in languages:
            words = voice(language, is_published=False).words(is_synthetic)
            for kind in kinds(shown):
                drawn = DRAW[kind](shown, words)
                yield reconstruction_path(name, kind, language), drawn
