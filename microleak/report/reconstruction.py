"""What noisy counts give back of a database: a part of the page an analysis."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from urllib.parse import quote

from microleak.figures.reconstruction_rows import Rebuilt
from microleak.report.drawing import figure_of
from microleak.report.parts import Drawing, Grid, Part, Rows, defined_once
from microleak.report.reconstruction_drawing import (
    kinds,
    reconstruction_path,
    reconstructions,
)
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


def reconstruction_parts(
    families: Rows, figures: Mapping[str, str], voice: Voice
) -> Iterator[Part]:
    """Yield the part of each analysis of rebuilt databases, in the tables' order.

    Each part defines the words that it uses and none before it does.

    Parameters
    ----------
    families
        Tables by family, for a public report the published ones.
    figures
        SVG texts by their path.
    voice
        The language and audience.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    parts = (
        (_part(name, shown, figures, voice), _words_of(shown))
        for name, shown in reconstructions(families)
    )
    yield from defined_once(parts, voice.texts["reconstruction_definitions"])


def _part(name: str, shown: Rebuilt, figures: Mapping[str, str], voice: Voice) -> Part:
    # What is shown of persons are settings; all else describes nobody.
    own = replace(voice, numbers=replace(voice.numbers, is_published=False))
    if shown.results.empty:
        return _of_points(name, shown, own)
    if shown.is_hidden:
        return _of_settings(name, shown, own)
    return _of_databases(name, shown, figures, own)


def _of_databases(
    name: str, shown: Rebuilt, figures: Mapping[str, str], voice: Voice
) -> Part:
    return Part(
        anchor=_anchor(name, voice),
        analysis=name,
        kicker=voice.say(f"reconstruction.kicker{'_random' * shown.is_random}"),
        heading=heading(shown, voice),
        measured=measured(shown, voice),
        sentences=tuple(sentences(shown, voice)),
        drawings=tuple(_drawings(name, shown, figures, voice)),
        grids=tuple(_grids(shown, voice)),
        downloads=_downloads(name, "reconstruction", voice),
    )


def _of_settings(name: str, shown: Rebuilt, voice: Voice) -> Part:
    """Say what was asked of persons' databases, whose results are suppressed."""
    return Part(
        anchor=_anchor(name, voice),
        analysis=name,
        kicker=voice.say("reconstruction.kicker"),
        heading=voice.say("reconstruction.heading_hidden"),
        measured=measured(shown, voice),
        sentences=(voice.say("reconstruction.hidden"),),
        grids=(asked_grid(shown, voice),),
        downloads=_downloads(name, "reconstruction", voice),
    )


def _of_points(name: str, shown: Rebuilt, voice: Voice) -> Part:
    return Part(
        anchor=_anchor(name, voice),
        analysis=name,
        kicker=voice.say("reconstruction.kicker_points"),
        heading=points_heading(shown, voice),
        measured=measured_points(shown, voice),
        sentences=tuple(points_sentences(shown, voice)),
        grids=(points_grid(shown, voice),),
        downloads=_downloads(name, "bad_points", voice),
    )


def _anchor(name: str, voice: Voice) -> str:
    return f"{voice.language}-reconstruction-{quote(name)}"


def _drawings(
    name: str, shown: Rebuilt, figures: Mapping[str, str], voice: Voice
) -> Iterator[Drawing]:
    is_part = len(shown.drawn_entries) < shown.results["n_entries"].nunique()
    for kind in kinds(shown):
        svg = figure_of(figures, reconstruction_path(name, kind, voice.language))
        said = [f"caption_{kind}", *(["caption_largest"] if is_part else [])]
        texts = [voice.say(f"reconstruction.{key}") for key in said]
        yield Drawing(svg, " ".join([*texts, *undrawn(shown, voice)]))


def _grids(shown: Rebuilt, voice: Voice) -> Iterator[Grid]:
    if len(shown.limits):
        yield limits_grid(shown, voice)
    yield settings_grid(shown, voice, is_folded=bool(kinds(shown)))


def _words_of(shown: Rebuilt) -> tuple[str, ...]:
    """Name the words that a part uses: of attacks and noises its own."""
    if shown.results.empty:
        laws = shown.bad["noise"].unique()
        return ("setting", "formulas", *laws, "points", "table_3")
    own = [shown.results[name].unique() for name in ("attack", "noise")]
    if shown.is_hidden:
        return ("setting", "formulas", *chain.from_iterable(own))
    claims = ("setting", "formulas", "right", "exact", "consistent", "proven", "status")
    return (*claims, "root", *chain.from_iterable(own), "times")


def _downloads(name: str, table: str, voice: Voice) -> tuple[tuple[str, str], ...]:
    said = voice.say(f"reconstruction.download_{table}")
    return ((f"data/{name}-{table}.csv", said),)
