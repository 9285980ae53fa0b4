"""Which figures an analysis of rebuilt databases has, and how they are drawn."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

from microleak.figures.reconstruction_noise import right_over_noise
from microleak.figures.reconstruction_phase import phase_diagrams
from microleak.figures.reconstruction_rows import Rebuilt, rebuilt
from microleak.figures.words import Words
from microleak.report.parts import Rows
from microleak.report.undrawn import Undrawn

DRAW: dict[str, Callable[[Rebuilt, Words], str]] = {
    "noise": right_over_noise,
    "phase": phase_diagrams,
}
"""Figures by their kind, in the order of the page."""


def kinds(shown: Rebuilt) -> tuple[str, ...]:
    """Return the kinds of figures that an analysis has; tables say the rest."""
    has = {"noise": bool(shown.panels), "phase": bool(shown.diagrams)}
    return tuple(kind for kind in DRAW if has[kind])


def reconstructions(families: Rows) -> Iterator[tuple[str, Rebuilt]]:
    """Yield the tables of each analysis of rebuilt databases, with its name."""
    for name, results in families.get("reconstruction", {}).items():
        yield name, rebuilt(results, families["bad_points"][name])


def reconstruction_figures(
    name: str, shown: Rebuilt, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of one analysis of rebuilt databases.

    What is drawn for the public describes nobody, and has all its digits. Random
    databases are of no release.
    """
    of = shown.drawn_from
    is_synthetic = of is not None and (of.table, of.release) in synthetic
    for kind in kinds(shown):
        names, draw = ("reconstruction", name, kind), partial(DRAW[kind], shown)
        yield Undrawn(names, draw, is_published=False, is_synthetic=is_synthetic)
