"""What noisy counts give back of a database: a part of the page an analysis."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from microleak.figures.reconstruction_rows import Rebuilt
from microleak.report.parts import Drawing, Grid, Part, Place
from microleak.report.reconstruction_drawing import kinds
from microleak.report.reconstruction_grids import (
    asked_grid,
    limits_grid,
    settings_grid,
)
from microleak.report.reconstruction_points import (
    measured_points,
    points_grid,
    points_heading,
    points_sentences,
)
from microleak.report.reconstruction_told import (
    heading,
    measured,
    sentences,
    undrawn,
)
from microleak.report.texts import Voice


def reconstruction_part(shown: Rebuilt, place: Place) -> Part:
    """Return the part of one analysis of rebuilt databases.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    # What is shown of persons are settings; all else describes nobody.
    numbers = replace(place.voice.numbers, is_published=False)
    own = replace(place, voice=replace(place.voice, numbers=numbers))
    if shown.results.empty:
        return _of_points(shown, own)
    if shown.is_hidden:
        return _of_settings(shown, own)
    return _of_databases(shown, own)


def reconstruction_words(shown: Rebuilt) -> tuple[str, ...]:
    """Name the words that a part uses: of attacks and noises its own."""
    if shown.results.empty:
        laws = shown.bad["noise"].unique()
        return ("setting", "formulas", *laws, "points", "table_3")
    own = [shown.results[name].unique() for name in ("attack", "noise")]
    if shown.is_hidden:
        return ("setting", "formulas", *chain.from_iterable(own))
    claims = ("setting", "formulas", "right", "exact", "consistent", "proven", "status")
    return (*claims, "root", *chain.from_iterable(own), "times")


def _of_databases(shown: Rebuilt, place: Place) -> Part:
    voice = place.voice
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say(f"reconstruction.kicker{'_random' * shown.is_random}"),
        heading=heading(shown, voice),
        measured=measured(shown, voice),
        sentences=tuple(sentences(shown, voice)),
        drawings=tuple(_drawings(shown, place)),
        grids=tuple(_grids(shown, voice)),
        downloads=_downloads("reconstruction", place),
    )


def _of_settings(shown: Rebuilt, place: Place) -> Part:
    """Say what was asked of persons' databases, whose results are suppressed."""
    voice = place.voice
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say("reconstruction.kicker"),
        heading=voice.say("reconstruction.heading_hidden"),
        measured=measured(shown, voice),
        sentences=(voice.say("reconstruction.hidden"),),
        grids=(asked_grid(shown, voice),),
        downloads=_downloads("reconstruction", place),
    )


def _of_points(shown: Rebuilt, place: Place) -> Part:
    voice = place.voice
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say("reconstruction.kicker_points"),
        heading=points_heading(shown, voice),
        measured=measured_points(shown, voice),
        sentences=tuple(points_sentences(shown, voice)),
        grids=(points_grid(shown, voice),),
        downloads=_downloads("bad_points", place),
    )


def _drawings(shown: Rebuilt, place: Place) -> Iterator[Drawing]:
    voice = place.voice
    is_part = len(shown.drawn_entries) < shown.results["n_entries"].nunique()
    for kind in kinds(shown):
        said = [f"caption_{kind}", *(["caption_largest"] if is_part else [])]
        texts = [voice.say(f"reconstruction.{key}") for key in said]
        yield place.drawing(kind, " ".join([*texts, *undrawn(shown, voice)]))


def _grids(shown: Rebuilt, voice: Voice) -> Iterator[Grid]:
    if len(shown.limits):
        yield limits_grid(shown, voice)
    yield settings_grid(shown, voice, is_folded=bool(kinds(shown)))


def _downloads(table: str, place: Place) -> tuple[tuple[str, str], ...]:
    said = place.voice.say(f"reconstruction.download_{table}")
    return (place.download(table, said),)
