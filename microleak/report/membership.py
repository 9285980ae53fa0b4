"""What a sample gives away about who is in it: a part of the page an analysis."""

from collections.abc import Iterator

from microleak.figures.membership_rows import Membership
from microleak.report.membership_drawing import KINDS
from microleak.report.membership_grids import (
    counts_grid,
    degradation_grid,
    persons_grid,
    uniques_grid,
    worst_grid,
)
from microleak.report.membership_told import (
    certainty,
    heading,
    measured,
    sentences,
)
from microleak.report.parts import Drawing, Part, Place


def membership_part(shown: Membership, place: Place) -> Part:
    """Return the part of one membership analysis.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    voice = place.voice
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say("membership.kicker"),
        heading=heading(shown, voice),
        measured=measured(shown, voice),
        sentences=tuple(sentences(shown, voice)),
        drawings=tuple(_drawings(shown, place)),
        grids=(
            worst_grid(shown, voice),
            degradation_grid(shown, voice),
            counts_grid(shown, voice),
            persons_grid(shown, voice),
            uniques_grid(shown, voice),
        ),
        downloads=tuple(
            place.download(table, voice.say(f"membership.download_{table}"))
            for table in ("membership", "presence", "uniques")
        ),
        warning=voice.say("membership.warning"),
    )


def membership_words(_: Membership) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("blocks", "prior", "posterior", "unique", "both", "found", "right")


def _drawings(shown: Membership, place: Place) -> Iterator[Drawing]:
    voice = place.voice
    attributes = voice.attributes(int(shown.told["n_qids"]))
    captions = {kind: f"membership.caption_{kind}" for kind in KINDS}
    if voice.numbers.is_published:
        captions["persons"] = "membership.caption_persons_public"
    certain = certainty(shown, voice)
    for kind, caption in captions.items():
        said = voice.say(caption, attributes=attributes, certain=certain)
        yield place.drawing(kind, said)
