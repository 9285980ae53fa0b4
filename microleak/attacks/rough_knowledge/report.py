"""What is found by what is known only roughly: a part of the page an analysis."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.numbers import Words
from microleak.figures.success import success_bars
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.report.families import PartEach, one_figure
from microleak.report.parts import Part, Place, Sentences, TablesByKind, grid_of_attacks
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_BARS = {
    "prior_prob": GREY,
    "posterior_prob": BLUE,
    "posterior_prob_exact": VERMILION,
}
"""What is drawn, in this order, and in which colour."""

_SHARES = {
    "certain": "posterior_det",
    "right": "posterior_prob",
    "certain_exact": "posterior_det_exact",
    "right_exact": "posterior_prob_exact",
    "hold": "claims_that_hold",
}
"""What the table shows, by its headings."""


def analyses(families: TablesByKind) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each analysis, with its name, texts never missing."""
    for name, rows in families.get("rough_knowledge", {}).items():
        yield name, tables.with_text(rows)


def _most_told(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the set with most QIDs that has one known roughly."""
    rough = rows[rows["roughly"].fillna("") != ""]
    return tables.with_most_qids(rows if rough.empty else rough)


def bars_of(rows: pd.DataFrame, words: Words) -> str:
    """Draw success without any QID, known roughly and known exactly, of most QIDs."""
    shown = tables.with_text(_most_told(rows))
    return success_bars("rough_knowledge", shown, _BARS, words)


def part(rows: pd.DataFrame, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    shown = _most_told(rows)
    first = shown.iloc[0]
    return place.part(
        heading=_heading(first, voice),
        measured=(
            place.measured(first),
            place.known(tables.qids_of(first)),
        ),
        body=(
            Sentences(tuple(_sentences(shown, voice))),
            place.drawing("success", voice.say("rough_knowledge.caption_success")),
            grid_of_attacks("rough_knowledge", rows, _SHARES, voice),
        ),
        downloads=place.downloads("rough_knowledge"),
    )


def _heading(row: pd.Series, voice: Voice) -> str:
    numbers = voice.numbers
    return voice.say(
        f"rough_knowledge.heading{'' if row['roughly'] else '_exact'}",
        facts=voice.facts(tables.qids_of(row)),
        rough=voice.listing(
            f"“{voice.attribute(n)}”" for n in row["roughly"].split("|")
        ),
        share=numbers.share(row["posterior_prob"]),
        exact=numbers.share(row["posterior_prob_exact"]),
    )


def _sentences(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Yield of each attack what is certain, and how many claims hold."""
    numbers = voice.numbers
    for _, row in rows.iterrows():
        yield voice.say(
            "rough_knowledge.certain",
            attack=voice.subject(row["sensitive"]),
            share=numbers.share(row["posterior_det"]),
            exact=numbers.share(row["posterior_det_exact"]),
        )
        if row["claimed"] > 0:
            yield voice.say(
                "rough_knowledge.claims",
                claimed=numbers.share(row["claimed"]),
                hold=numbers.share(row["claims_that_hold"]),
            )


def words(_: pd.DataFrame) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("roughly", "certain", "claims")


FIGURE = one_figure("rough_knowledge", "success", bars_of)
SHOWN = PartEach("rough_knowledge", analyses, FIGURE, part, words)
