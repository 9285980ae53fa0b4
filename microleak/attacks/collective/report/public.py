"""Counts with noise on the page of a public report."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from microleak.report.contents import Tables
from microleak.report.page import template
from microleak.report.parts import Filled, Part, Place, Text
from microleak.report.public import PublicParts
from microleak.report.texts import Voice

OF_RECORDS = "records", "alone"
OF_SENSITIVE = "most_frequent", "right_guesses"
"""What is counted of all records, and of each sensitive attribute, in this order."""

_COUNTS = template(Path(__file__).parent, "noisy_counts.html.j2")


def parts(published: Tables, voice: Voice) -> Iterator[Part]:
    """Yield a part for each analysis that has counts."""
    for name, counts in published.of("noisy_counts").items():
        if len(counts):
            place = Place("collective", name, {}, voice)
            panel = Text("paragraph", _panel(counts.iloc[0], voice))
            rows = counts.to_dict("records")
            filled = _COUNTS.render(name=name, rows=rows, voice=voice, qids=_qids)
            body = (panel, Filled(Markup(filled)))
            yield Part(place.anchor, "", "", heading=name, body=body)


def faults(counts: pd.DataFrame) -> Iterator[str]:
    """Yield where counts are not those of all QIDs, each once and in order.

    A column that no rule binds, or an order of rows that does not follow from them,
    could hold a count.
    """
    for column in ("table", "focal", "auxiliary", "qids"):
        if counts[column].astype(str).nunique() > 1:
            yield f"{column} is not the same in all lines"
    names = counts["qids"].str.split("|")
    n_qids = [len(each) if len(each) == len({*each}) else 0 for each in names]
    if n_qids != counts["n_qids"].tolist():
        yield "n_qids is not the number of the QIDs, each named once"
    sensitive = counts["sensitive"].fillna("")
    wanted = [
        (name, statistic)
        for name in dict.fromkeys(sensitive)
        for statistic in (OF_SENSITIVE if name else OF_RECORDS)
    ]
    if [*zip(sensitive, counts["statistic"], strict=True)] != wanted:
        yield "counts are not those of the rules, each once and in order"


def _panel(row: pd.Series, voice: Voice) -> str:
    said = voice.say("public.panel", table=row["table"], focal=row["focal"])
    if not row["auxiliary"]:
        return said
    releases = voice.listing(row["auxiliary"].split("|"))
    return f"{said} {voice.say('public.linked', releases=releases)}"


def _qids(joined: str, voice: Voice) -> str:
    return voice.known(joined.split("|"))


PUBLIC = PublicParts(parts, faults)
