"""Blocks and right guesses, or counts with noise, on the page of a public report."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from microleak.report.contents import Tables
from microleak.report.page import template
from microleak.report.parts import Element, Filled, Part, Place, Text
from microleak.report.public import PublicParts, written_share
from microleak.report.texts import Voice

_FOLDER = Path(__file__).parent
_TEMPLATE = template(_FOLDER, "blocks.html.j2")
_COUNTS = template(_FOLDER, "noisy_counts.html.j2")

CLASSES = (
    *("alone_pct", "from_2_to_4_pct", "from_5_to_9_pct"),
    *("from_10_to_99_pct", "from_100_pct"),
)
"""Share of the records in blocks of each class of sizes."""


def parts(published: Tables, voice: Voice) -> Iterator[Part]:
    """Yield a part for each analysis; one whose table is too small says so.

    A report with noise has its counts alone.
    """
    for name, counts in published.of("noisy_counts").items():
        if len(counts):
            place = Place("collective", name, {}, voice)
            panel = Text("paragraph", _panel(counts.iloc[0], voice))
            rows = counts.to_dict("records")
            filled = _COUNTS.render(name=name, rows=rows, voice=voice, qids=_qids)
            body: tuple[Element, ...] = (panel, Filled(Markup(filled)))
            yield Part(place.anchor, "", "", heading=name, body=body)
    for name, blocks in published.of("blocks").items():
        if len(published.of("noisy_counts").get(name, ())):
            continue
        place = Place("collective", name, {}, voice)
        body = (Text("paragraph", voice.say("public.too_small")),)
        if len(blocks):
            inference = published.of("inference")[name]
            body = (
                Text("paragraph", _panel(blocks.iloc[0], voice)),
                Filled(_tables(name, blocks, inference, voice)),
            )
        yield Part(place.anchor, "", "", heading=name, body=body)


def _panel(row: pd.Series, voice: Voice) -> str:
    said = voice.say("public.panel", table=row["table"], focal=row["focal"])
    if not row["auxiliary"]:
        return said
    releases = voice.listing(row["auxiliary"].split("|"))
    return f"{said} {voice.say('public.linked', releases=releases)}"


def _tables(
    name: str, blocks: pd.DataFrame, inference: pd.DataFrame, voice: Voice
) -> Markup:
    text = _TEMPLATE.render(
        name=name,
        blocks=blocks.to_dict("records"),
        inference=inference.to_dict("records"),
        voice=voice,
        classes=CLASSES,
        share=written_share,
        qids=_qids,
    )
    return Markup(text)


def _qids(joined: str, voice: Voice) -> str:
    return ", ".join(map(voice.explained, joined.split("|")))


PUBLIC = PublicParts(parts, (_FOLDER / "blocks.css").read_text(encoding="utf-8"))
