"""Blocks and right guesses, or counts with noise, on the page of a public report."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from microleak.report.contents import Tables
from microleak.report.page import template
from microleak.report.parts import Element, Filled, Part, Place, Sentences, Text
from microleak.report.public import PublicParts, doubt, written_share
from microleak.report.texts import Voice
from microleak.tables import rows as tables

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
                Sentences(tuple(_sentences(blocks, inference, voice))),
                Text("paragraph", _panel(blocks.iloc[0], voice)),
                Filled(_tables(name, blocks, inference, voice)),
                *_without_guesses(inference, voice),
            )
            found = _worst(blocks)
            yield Part(
                place.anchor,
                name,
                "",
                heading=_found(found, "found", voice),
                body=body,
                warning=doubt(
                    blocks.iloc[-1], published, voice, *inference["sensitive"]
                ),
            )
            continue
        yield Part(place.anchor, "", "", heading=name, body=body)


def _without_guesses(inference: pd.DataFrame, voice: Voice) -> Iterator[Element]:
    """Yield why no guesses are there, if none are.

    That they are left out is not told from that they were not measured.
    """
    if inference.empty:
        yield Text("note", voice.say("public.without_guesses"))


def _sentences(
    blocks: pd.DataFrame, inference: pd.DataFrame, voice: Voice
) -> Iterator[str]:
    """Yield what few facts are enough for, and what is guessed, of what is published.

    Few are those with which half as many are alone as with the worst combination.
    """
    worst = _worst(blocks)
    enough = blocks[2 * blocks["alone_pct"] >= worst["alone_pct"]]
    fewest = _highest(enough[enough["n_qids"] == enough["n_qids"].min()], "alone_pct")
    if fewest["n_qids"] < worst["n_qids"] and fewest["alone_pct"]:
        yield _found(fewest, "enough", voice)
    for _, rows in inference.groupby("sensitive", sort=False):
        row = _highest(rows, "posterior_pct")
        yield voice.say(
            "public.guess",
            sensitive=voice.attribute(row["sensitive"]),
            prior=_told(row["prior_pct"], row["step_pct"], voice),
            posterior=_told(row["posterior_pct"], row["step_pct"], voice),
            **_known(row, voice),
        )


def _worst(blocks: pd.DataFrame) -> pd.Series:
    """Return the row with the most who are alone; if none may be, that of all QIDs."""
    found = _highest(blocks, "alone_pct")
    return found if found["alone_pct"] else blocks.iloc[-1]


def _highest(rows: pd.DataFrame, column: str) -> pd.Series:
    """Return the row with the highest share as published, of equals the fewest QIDs."""
    return rows.sort_values(
        [column, "n_qids"], ascending=[False, True], kind="stable"
    ).iloc[0]


def _found(row: pd.Series, key: str, voice: Voice) -> str:
    share = _told(row["alone_pct"], row["step_pct"], voice)
    return voice.say(f"public.{key}", share=share, **_known(row, voice))


def _known(row: pd.Series, voice: Voice) -> dict[str, str]:
    qids = tables.qids_of(row)
    return {"facts": voice.facts(qids), "qids": voice.known(qids)}


def _told(percent: int, step: int, voice: Voice) -> str:
    """Write a published share in words, of its ends by how much they may be.

    Any other stands for the counts of a step.
    """
    if percent == 0:
        return voice.say("public.less", share=f"{step}%")
    if percent == 100:
        return voice.say("public.more", share=f"{100 - step}%")
    return voice.say("public.rounded", share=f"{percent}%")


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
    return voice.known(joined.split("|"))


PUBLIC = PublicParts(parts, (_FOLDER / "blocks.css").read_text(encoding="utf-8"))
