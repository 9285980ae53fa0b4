"""The part of a page on how anonymous a table is by the usual models."""

from collections.abc import Collection, Iterator
from functools import partial

from microleak.attacks.anonymity.figures import (
    before_population,
    records_below,
    value_histograms,
)
from microleak.attacks.anonymity.report.grids import (
    folded_grids,
    meanings_grid,
    models_grid,
    uniqueness_grid,
    worst_grids,
)
from microleak.attacks.anonymity.report.sentences import heading, measured, sentences
from microleak.attacks.anonymity.rows import (
    K_ANONYMITY,
    K_MAP,
    L_DIVERSITY,
    AnonymityRows,
)
from microleak.figures.numbers import Words
from microleak.report.drawn import Undrawn, of_attribute
from microleak.report.families import PartEach
from microleak.report.parts import Drawing, Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice

BELOW, SIZES, VALUES, POPULATION = "below", "sizes", "values", "population"


def anonymity_analyses(families: TablesByKind) -> Iterator[tuple[str, AnonymityRows]]:
    """Yield what was measured in each analysis of anonymity, with its name."""
    estimated = families.get("uniqueness", {})
    for name, rows in families.get("anonymity", {}).items():
        yield name, AnonymityRows(rows, families["classes"][name], estimated.get(name))


def anonymity_kinds(found: AnonymityRows) -> Iterator[tuple[str, str]]:
    """Yield the kinds of figures, in the order of the page.

    Each has the sensitive attribute that it is of, or none. That before the population
    is there only where its size is known, and something can be said of who is unique.
    """
    yield BELOW, ""
    yield SIZES, ""
    for name in found.sensitive:
        yield VALUES, name
    if found.has_population or found.has_estimates:
        yield POPULATION, ""


def anonymity_figures(
    name: str, found: AnonymityRows, synthetic: Collection[tuple[str, str]]
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
            is_synthetic=of_table or (is_of_others and bool(synthetic)),
        )


def _draw(found: AnonymityRows, kind: str, sensitive: str, words: Words) -> str:
    if kind == BELOW:
        return records_below(found.blocks, words)
    if kind == SIZES:
        return value_histograms(found.histogram(K_ANONYMITY), words)
    if kind == VALUES:
        return value_histograms(found.histogram(L_DIVERSITY, sensitive), words)
    return before_population(found.worst(K_MAP), found.worst(K_ANONYMITY), words)


def anonymity_part(found: AnonymityRows, place: Place) -> Part:
    """Return the part of one analysis of anonymity."""
    voice = place.voice
    return place.part(
        heading=heading(found, voice),
        measured=tuple(measured(found, voice)),
        body=(
            Sentences(tuple(sentences(found, voice))),
            *_drawings(found, place),
            *_grids(found, voice),
        ),
        downloads=place.downloads(*_tables(found)),
    )


def _tables(found: AnonymityRows) -> Iterator[str]:
    yield from ("anonymity", "classes")
    if found.uniqueness is not None:
        yield "uniqueness"


def _drawings(found: AnonymityRows, place: Place) -> Iterator[Drawing]:
    voice = place.voice
    for kind, sensitive in anonymity_kinds(found):
        is_estimated = kind == POPULATION and not found.has_population
        key = "models" if is_estimated else kind
        caption = voice.say(
            f"anonymity.figure_{key}", sensitive=voice.explained(sensitive)
        )
        yield place.drawing(of_attribute(kind, sensitive), caption)


def _grids(found: AnonymityRows, voice: Voice) -> Iterator[Grid]:
    yield from worst_grids(found, voice)
    if found.is_sample:
        yield models_grid(found, voice)
    if found.uniqueness is not None:
        yield uniqueness_grid(found.uniqueness, voice)
    yield meanings_grid(found, voice)
    yield from folded_grids(found, voice)


SHOWN = PartEach("anonymity", anonymity_analyses, anonymity_figures, anonymity_part)
