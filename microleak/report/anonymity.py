"""The part of a page on how anonymous a table is by the usual models."""

from collections.abc import Iterator, Mapping

from microleak.figures import tables
from microleak.figures.anonymity_rows import Measured
from microleak.report.anonymity_below import heading
from microleak.report.anonymity_drawing import (
    POPULATION,
    SIZES,
    VALUES,
    analyses_of,
    anonymity_kinds,
    anonymity_path,
)
from microleak.report.anonymity_grids import models_grid, worst_grids
from microleak.report.anonymity_meanings import meanings_grid
from microleak.report.anonymity_numbers import folded_grids
from microleak.report.anonymity_told import measured, sentences
from microleak.report.drawing import figure_of
from microleak.report.parts import Drawing, Grid, Part, Rows
from microleak.report.texts import Voice


def anonymity_parts(
    tables_: Rows, figures: Mapping[str, str], voice: Voice
) -> Iterator[Part]:
    """Yield a part of the page for each analysis of anonymity.

    Parameters
    ----------
    tables_
        The tables `anonymity` and `classes` by analysis, for a public report as they
        are published.
    figures
        SVG texts by path, as `draw_anonymity` yields them.
    voice
        The language and audience.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    for found in analyses_of(tables_):
        yield Part(
            anchor=f"{voice.language}-{found.analysis}-anonymity",
            analysis=found.analysis,
            kicker=voice.say("anonymity.kicker"),
            heading=heading(found, voice),
            measured=tuple(measured(found, voice)),
            sentences=tuple(sentences(found, voice)),
            drawings=tuple(_drawings(found, figures, voice)),
            grids=tuple(_grids(found, voice)),
            downloads=tuple(
                (f"data/{found.analysis}-{table}.csv", voice.say(f"anonymity.{table}"))
                for table in ("anonymity", "classes")
            ),
        )


def _drawings(
    found: Measured, figures: Mapping[str, str], voice: Voice
) -> Iterator[Drawing]:
    for kind, sensitive in anonymity_kinds(found):
        path = anonymity_path(found, kind, sensitive, voice.language)
        is_estimated = kind == POPULATION and not found.has_population
        key = "models" if is_estimated else kind
        caption = voice.say(
            f"anonymity.figure_{key}", sensitive=voice.explained(sensitive)
        )
        if tables.is_published(found.rows):
            mark = "cross_classes" if kind in {SIZES, VALUES} else "cross"
            caption = f"{caption} {voice.say(f'anonymity.figure_{mark}')}"
        yield Drawing(figure_of(figures, path), caption)


def _grids(found: Measured, voice: Voice) -> Iterator[Grid]:
    yield from worst_grids(found, voice)
    if found.is_sample:
        yield models_grid(found, voice)
    yield meanings_grid(found, voice)
    yield from folded_grids(found, voice)
