"""Counts with noise on the page of a public report."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from microleak.report.contents import Tables
from microleak.report.page import template
from microleak.report.parts import Filled, Part, Place, Text
from microleak.report.texts import Voice

_COUNTS = template(Path(__file__).parent, "noisy_counts.html.j2")


def public_parts(published: Tables, voice: Voice) -> Iterator[Part]:
    """Yield a part for each analysis that has counts."""
    for name, counts in published.of("noisy_counts").items():
        if len(counts):
            place = Place("collective", name, {}, voice)
            panel = Text("paragraph", _panel(counts.iloc[0], voice))
            rows = counts.to_dict("records")
            filled = _COUNTS.render(name=name, rows=rows, voice=voice, qids=_qids)
            body = (panel, Filled(Markup(filled)))
            yield Part(place.anchor, "", "", heading=name, body=body)


def _panel(row: pd.Series, voice: Voice) -> str:
    said = voice.say("public.panel", table=row["table"], focal=row["focal"])
    if not row["auxiliary"]:
        return said
    releases = voice.listing(row["auxiliary"].split("|"))
    return f"{said} {voice.say('public.linked', releases=releases)}"


def _qids(joined: str, voice: Voice) -> str:
    return voice.known(joined.split("|"))
