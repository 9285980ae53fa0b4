"""What noise buys and costs where counts are published: a part an analysis."""

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from microleak.figures.mechanism_rows import Noisy
from microleak.report.drawing import figure_of
from microleak.report.mechanism_drawing import kinds, mechanism_path, noisy_counts
from microleak.report.mechanism_grids import (
    epsilon_grid,
    numbers_grid,
    pairs_grid,
    samples_grid,
)
from microleak.report.mechanism_pairs_told import (
    measured_pairs,
    pairs_heading,
    pairs_sentences,
)
from microleak.report.mechanism_told import heading, measured, sentences
from microleak.report.parts import Drawing, Grid, Part, Rows
from microleak.report.texts import Voice


def mechanism_parts(
    tables: Rows, figures: Mapping[str, str], voice: Voice
) -> Iterator[Part]:
    """Yield the part of each analysis of noisy counts, in the order of the tables.

    Parameters
    ----------
    tables
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
    for name, noisy in noisy_counts(tables):
        is_count = noisy.has_count
        told = sentences(noisy, voice) if is_count else pairs_sentences(noisy, voice)
        yield Part(
            anchor=f"{voice.language}-mechanism-{quote(name)}",
            analysis=name,
            kicker=voice.say(f"mechanism.kicker{'' if is_count else '_pairs'}"),
            heading=(heading if is_count else pairs_heading)(noisy, voice),
            measured=(measured if is_count else measured_pairs)(noisy, voice),
            sentences=tuple(told),
            drawings=tuple(_drawings(name, noisy, figures, voice)),
            grids=tuple(_grids(noisy, voice)),
            definitions=tuple(_definitions(noisy, voice)),
            downloads=tuple(_downloads(name, noisy, voice)),
        )


def _drawings(
    name: str, noisy: Noisy, figures: Mapping[str, str], voice: Voice
) -> Iterator[Drawing]:
    for kind in kinds(noisy):
        svg = figure_of(figures, mechanism_path(name, kind, voice.language))
        yield Drawing(svg, voice.say(f"mechanism.figure_{kind}"))


def _grids(noisy: Noisy, voice: Voice) -> Iterator[Grid]:
    if not noisy.has_count:
        yield pairs_grid(noisy, voice)
        return
    yield epsilon_grid(noisy, voice)
    yield numbers_grid(noisy, voice)
    if noisy.has_samples:
        yield samples_grid(noisy, voice)


def _definitions(noisy: Noisy, voice: Voice) -> Iterator[tuple[str, str]]:
    """Yield the words of a part: of its own mechanisms, and of pairs only theirs."""
    models = noisy.models or ["oblivious"]
    own = ["samples"] * noisy.has_samples if noisy.has_count else ["pairs"]
    for key in ("adversary", "epsilon", *models, "scenario", *own):
        definition = voice.texts["mechanism_definitions"][key]
        yield definition["term"], definition["text"]


def _downloads(name: str, noisy: Noisy, voice: Voice) -> Iterator[tuple[str, str]]:
    found = {
        "mechanism": noisy.mechanism,
        "samples": noisy.samples,
        "pairs": noisy.pairs,
    }
    for table, rows in found.items():
        if len(rows):
            path = f"data/{name}-{table}.csv"
            yield path, voice.say(f"mechanism.download_{table}")
