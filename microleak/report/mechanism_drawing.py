"""Which figures an analysis of noisy counts has, and where they are written."""

from collections.abc import Callable, Collection, Iterator, Sequence

from microleak.figures.mechanism_epsilon import intervals_of_samples, loss_and_utility
from microleak.figures.mechanism_pairs import loss_of_pairs
from microleak.figures.mechanism_rows import Noisy
from microleak.figures.mechanism_tradeoff import privacy_against_utility
from microleak.figures.words import Words
from microleak.report.parts import Rows
from microleak.report.texts import voice

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


def mechanism_path(analysis: str, kind: str, language: str) -> str:
    """Path of a figure, in the report's folder.

    Examples
    --------
    >>> mechanism_path("race-by-age", "epsilon", "pt")
    'mechanism-race-by-age-epsilon.pt.svg'
    """
    return f"mechanism-{analysis}-{kind}.{language}.svg"


def noisy_counts(tables: Rows) -> Iterator[tuple[str, Noisy]]:
    """Yield the tables of each analysis of noisy counts, with its name."""
    for name, mechanism in tables.get("mechanism", {}).items():
        yield name, Noisy(mechanism, tables["samples"][name], tables["pairs"][name])


def draw_mechanism(
    tables: Rows, languages: Sequence[str], synthetic: Collection[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the figures of noisy counts, as their paths and SVG texts.

    Parameters
    ----------
    tables
        Tables by family, for a public report the published ones.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Tables and releases that a twin made.
    """
    for name, noisy in noisy_counts(tables):
        is_synthetic = (noisy.first["table"], noisy.first["focal"]) in synthetic
        for language in languages:
            words = voice(language, noisy.is_published).words(is_synthetic)
            for kind in kinds(noisy):
                yield mechanism_path(name, kind, language), DRAW[kind](noisy, words)
