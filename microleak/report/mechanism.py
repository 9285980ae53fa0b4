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
from microleak.report.parts import Drawing, Grid, Part, Rows, defined_once
from microleak.report.texts import Voice


def mechanism_parts(
    tables: Rows, figures: Mapping[str, str], voice: Voice
) -> Iterator[Part]:
    """Yield the part of each analysis of noisy counts, in the order of the tables.

    Each part defines the words that it uses and none before it does.

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
    parts = (
        (_part(name, noisy, figures, voice), _words_of(noisy))
        for name, noisy in noisy_counts(tables)
    )
    yield from defined_once(parts, voice.texts["mechanism_definitions"])


def _part(name: str, noisy: Noisy, figures: Mapping[str, str], voice: Voice) -> Part:
    is_count = noisy.has_count
    told = sentences(noisy, voice) if is_count else pairs_sentences(noisy, voice)
    return Part(
        anchor=f"{voice.language}-mechanism-{quote(name)}",
        analysis=name,
        kicker=voice.say(f"mechanism.kicker{'' if is_count else '_pairs'}"),
        heading=(heading if is_count else pairs_heading)(noisy, voice),
        measured=(measured if is_count else measured_pairs)(noisy, voice),
        sentences=tuple(told),
        drawings=tuple(_drawings(name, noisy, figures, voice)),
        grids=tuple(_grids(noisy, voice)),
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


def _words_of(noisy: Noisy) -> tuple[str, ...]:
    """Name the words that a part uses: of mechanisms its own, and of pairs theirs."""
    models = noisy.models or ["oblivious"]
    own = ["samples"] * noisy.has_samples if noisy.has_count else ["pairs"]
    return ("adversary", "epsilon", *models, "scenario", *own)


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
