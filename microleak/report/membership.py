"""What a sample gives away about who is in it: a part of the page an analysis."""

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from microleak.figures.membership_rows import Membership
from microleak.report.drawing import figure_of
from microleak.report.membership_drawing import KINDS, membership_path, memberships
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
from microleak.report.parts import Drawing, Part, Rows
from microleak.report.texts import Voice


def membership_parts(
    families: Rows, figures: Mapping[str, str], voice: Voice
) -> Iterator[Part]:
    """Yield the part of each membership analysis, in the order of the tables.

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
    for name, shown in memberships(families):
        yield Part(
            anchor=f"{voice.language}-membership-{quote(name)}",
            analysis=name,
            kicker=voice.say("membership.kicker"),
            heading=heading(shown, voice),
            measured=measured(shown, voice),
            sentences=tuple(sentences(shown, voice)),
            drawings=tuple(_drawings(name, shown, figures, voice)),
            grids=(
                worst_grid(shown, voice),
                degradation_grid(shown, voice),
                counts_grid(shown, voice),
                persons_grid(shown, voice),
                uniques_grid(shown, voice),
            ),
            definitions=tuple(
                (definition["term"], definition["text"])
                for definition in voice.texts["membership_definitions"].values()
            ),
            downloads=tuple(
                (f"data/{name}-{table}.csv", voice.say(f"membership.download_{table}"))
                for table in ("membership", "presence", "uniques")
            ),
            warning=voice.say("membership.warning"),
        )


def _drawings(
    name: str, shown: Membership, figures: Mapping[str, str], voice: Voice
) -> Iterator[Drawing]:
    attributes = voice.attributes(int(shown.told["n_qids"]))
    captions = {kind: f"membership.caption_{kind}" for kind in KINDS}
    if voice.numbers.is_published:
        captions["persons"] = "membership.caption_persons_public"
    for kind, caption in captions.items():
        svg = figure_of(figures, membership_path(name, kind, voice.language))
        certain = certainty(shown, voice)
        yield Drawing(svg, voice.say(caption, attributes=attributes, certain=certain))
