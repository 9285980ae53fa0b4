"""Which figures an analysis of anonymity has, and how they are drawn."""

from collections.abc import Collection, Iterator
from functools import partial

from microleak.figures import tables
from microleak.figures.anonymity_below import records_below
from microleak.figures.anonymity_classes import value_histograms
from microleak.figures.anonymity_population import before_population
from microleak.figures.anonymity_rows import (
    K_ANONYMITY,
    K_MAP,
    L_DIVERSITY,
    Measured,
)
from microleak.figures.words import Words
from microleak.report.parts import Rows
from microleak.report.undrawn import Undrawn, of_attribute

BELOW, SIZES, VALUES, POPULATION = "below", "sizes", "values", "population"


def anonymity_analyses(families: Rows) -> Iterator[tuple[str, Measured]]:
    """Yield what was measured in each analysis of anonymity, with its name."""
    for name, rows in families.get("anonymity", {}).items():
        yield name, Measured(rows, families["classes"][name])


def anonymity_kinds(found: Measured) -> Iterator[tuple[str, str]]:
    """Yield the kinds of figures, in the order of the page.

    Each has the sensitive attribute that it is of, or none. That before the population
    is there only where its size is known.
    """
    yield BELOW, ""
    yield SIZES, ""
    for name in found.sensitive:
        yield VALUES, name
    if found.is_sample:
        yield POPULATION, ""


def anonymity_figures(
    name: str, found: Measured, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of one analysis of anonymity.

    As the tables do not name the population, figures of it are marked wherever one of
    the study's releases is made up.
    """
    of_table = (*found.rows[["table", "focal"]].iloc[0],) in synthetic
    for kind, sensitive in anonymity_kinds(found):
        is_of_others = kind == POPULATION and found.has_population
        yield Undrawn(
            names=("anonymity", name, of_attribute(kind, sensitive)),
            draw=partial(_draw, found, kind, sensitive),
            is_published=tables.is_published(found.rows),
            is_synthetic=of_table or (is_of_others and bool(synthetic)),
        )


def _draw(found: Measured, kind: str, sensitive: str, words: Words) -> str:
    if kind == BELOW:
        return records_below(found.blocks, words)
    if kind == SIZES:
        return value_histograms(found.histogram(K_ANONYMITY), words)
    if kind == VALUES:
        return value_histograms(found.histogram(L_DIVERSITY, sensitive), words)
    return before_population(found.worst(K_MAP), found.worst(K_ANONYMITY), words)
