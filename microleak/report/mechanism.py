"""What noise buys and costs where counts are published: a part an analysis."""

from collections.abc import Iterator

from microleak.figures.mechanism_rows import Noisy
from microleak.report.mechanism_drawing import kinds
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
from microleak.report.parts import Grid, Part, Place
from microleak.report.texts import Voice


def mechanism_part(noisy: Noisy, place: Place) -> Part:
    """Return the part of one analysis of noisy counts.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    voice, is_count = place.voice, noisy.has_count
    told = sentences(noisy, voice) if is_count else pairs_sentences(noisy, voice)
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say(f"mechanism.kicker{'' if is_count else '_pairs'}"),
        heading=(heading if is_count else pairs_heading)(noisy, voice),
        measured=(measured if is_count else measured_pairs)(noisy, voice),
        sentences=tuple(told),
        drawings=tuple(
            place.drawing(kind, voice.say(f"mechanism.figure_{kind}"))
            for kind in kinds(noisy)
        ),
        grids=tuple(_grids(noisy, voice)),
        downloads=tuple(_downloads(noisy, place)),
    )


def mechanism_words(noisy: Noisy) -> tuple[str, ...]:
    """Name the words that a part uses: of mechanisms its own, and of pairs theirs."""
    models = noisy.models or ["oblivious"]
    own = ["samples"] * noisy.has_samples if noisy.has_count else ["pairs"]
    return ("adversary", "epsilon", *models, "scenario", *own)


def _grids(noisy: Noisy, voice: Voice) -> Iterator[Grid]:
    if not noisy.has_count:
        yield pairs_grid(noisy, voice)
        return
    yield epsilon_grid(noisy, voice)
    yield numbers_grid(noisy, voice)
    if noisy.has_samples:
        yield samples_grid(noisy, voice)


def _downloads(noisy: Noisy, place: Place) -> Iterator[tuple[str, str]]:
    found = {
        "mechanism": noisy.mechanism,
        "samples": noisy.samples,
        "simulated": noisy.simulated,
        "pairs": noisy.pairs,
    }
    for table, rows in found.items():
        if len(rows):
            said = place.voice.say(f"mechanism.download_{table}")
            yield place.download(table, said)
