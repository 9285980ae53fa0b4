"""Which figures an analysis of noisy counts has, and how they are drawn."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

from microleak.figures.mechanism_epsilon import intervals_of_samples, loss_and_utility
from microleak.figures.mechanism_pairs import loss_of_pairs
from microleak.figures.mechanism_rows import Noisy
from microleak.figures.mechanism_tradeoff import privacy_against_utility
from microleak.figures.words import Words
from microleak.report.parts import Rows
from microleak.report.undrawn import Undrawn

DRAW: dict[str, Callable[[Noisy, Words], str]] = {
    "epsilon": loss_and_utility,
    "tradeoff": privacy_against_utility,
    "samples": intervals_of_samples,
    "pairs": loss_of_pairs,
}
"""Figures by their kind, in the order of the page."""


def kinds(noisy: Noisy) -> tuple[str, ...]:
    """Return the kinds of figures that an analysis has."""
    if not noisy.has_count:
        return ("pairs",)
    return ("epsilon", "tradeoff", *(["samples"] if noisy.has_samples else []))


def noisy_counts(tables: Rows) -> Iterator[tuple[str, Noisy]]:
    """Yield the tables of each analysis of noisy counts, with its name."""
    for name, mechanism in tables.get("mechanism", {}).items():
        further = (tables[table][name] for table in ("samples", "simulated", "pairs"))
        yield name, Noisy(mechanism, *further)


def mechanism_figures(
    name: str, noisy: Noisy, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of one analysis of noisy counts."""
    is_synthetic = (noisy.first["table"], noisy.first["focal"]) in synthetic
    for kind in kinds(noisy):
        names, draw = ("mechanism", name, kind), partial(DRAW[kind], noisy)
        yield Undrawn(names, draw, noisy.is_published, is_synthetic)
