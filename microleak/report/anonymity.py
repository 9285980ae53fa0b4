"""The part of a page on how anonymous a table is by the usual models."""

from collections.abc import Iterator

from microleak.figures import tables
from microleak.figures.anonymity_rows import Measured
from microleak.report.anonymity_below import heading
from microleak.report.anonymity_drawing import (
    POPULATION,
    SIZES,
    VALUES,
    anonymity_kinds,
)
from microleak.report.anonymity_grids import models_grid, worst_grids
from microleak.report.anonymity_meanings import meanings_grid
from microleak.report.anonymity_numbers import folded_grids
from microleak.report.anonymity_told import measured, sentences
from microleak.report.parts import Drawing, Grid, Part, Place
from microleak.report.texts import Voice
from microleak.report.undrawn import of_attribute


def anonymity_part(found: Measured, place: Place) -> Part:
    """Return the part of one analysis of anonymity.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    voice = place.voice
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say("anonymity.kicker"),
        heading=heading(found, voice),
        measured=tuple(measured(found, voice)),
        sentences=tuple(sentences(found, voice)),
        drawings=tuple(_drawings(found, place)),
        grids=tuple(_grids(found, voice)),
        downloads=tuple(
            place.download(table, voice.say(f"anonymity.{table}"))
            for table in ("anonymity", "classes")
        ),
    )


def _drawings(found: Measured, place: Place) -> Iterator[Drawing]:
    voice = place.voice
    for kind, sensitive in anonymity_kinds(found):
        is_estimated = kind == POPULATION and not found.has_population
        key = "models" if is_estimated else kind
        caption = voice.say(
            f"anonymity.figure_{key}", sensitive=voice.explained(sensitive)
        )
        if tables.is_published(found.rows):
            mark = "cross_classes" if kind in {SIZES, VALUES} else "cross"
            caption = f"{caption} {voice.say(f'anonymity.figure_{mark}')}"
        yield place.drawing(of_attribute(kind, sensitive), caption)


def _grids(found: Measured, voice: Voice) -> Iterator[Grid]:
    yield from worst_grids(found, voice)
    if found.is_sample:
        yield models_grid(found, voice)
    yield meanings_grid(found, voice)
    yield from folded_grids(found, voice)
