"""Releases of a table side by side: sentences, and a table for each two."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.figures.comparison import worst_pairs
from microleak.attacks.collective.report.contents import Facts, unit_words
from microleak.attacks.collective.report.drawing import comparison_path
from microleak.report.drawn import figure_of
from microleak.report.parts import (
    Drawing,
    Element,
    Folded,
    Grid,
    Line,
    Link,
    Names,
    Part,
    Passage,
    Reply,
    Said,
    SearchBox,
    Sentences,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def comparison_parts(
    study: Facts, compared: pd.DataFrame, figures: Mapping[str, str], voice: Voice
) -> Iterator[Part]:
    """Yield a part for each table that has releases to compare."""
    if compared.empty:
        return
    for table in compared["table"].unique():
        figure = figure_of(figures, comparison_path(table, voice.language))
        yield _part(study, compared[compared["table"] == table], figure, voice)


def _part(study: Facts, rows: pd.DataFrame, figure: str, voice: Voice) -> Part:
    """Return the part of one table, of its comparisons."""
    table = rows["table"].iloc[0]
    releases = study.releases[table]
    told = list(_told(rows, releases, voice, study.unit(table)))
    sentences = tuple(
        voice.say(f"comparison.{'infer' if sensitive else 'reid'}", words)
        for sensitive, words in told
    )
    heading = voice.say("page.comparison_heading", table=table)
    anchor = f"{voice.language}-comparison-{quote(table)}"
    line = Line(sentences[0], f"#{anchor}", heading)
    row = Link(voice.say("answer.row"), f"#{anchor}")
    file = Link(voice.say("answer.file"), "data/comparison.csv")
    changed = voice.say("replies.change", told[0][1])
    return Part(
        anchor=anchor,
        analysis=table,
        kicker="",
        heading=heading,
        said=(Said((line,), voice.say("page.comparison_label")),),
        body=(
            Sentences(sentences),
            Drawing(figure, voice.say("page.caption_comparison")),
            SearchBox(),
            *_grids(rows, releases, voice),
        ),
        downloads=((file.href, voice.say("page.download_comparison")),),
        replies=(Reply("change", changed, f"#{anchor}", (row, file)),),
    )


def _grids(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice
) -> Iterator[Element]:
    """Yield the tables with the last release, and the others folded."""
    pairs = list(_pairs(rows, releases, voice))
    *_, (last, _) = pairs
    yield from (grid for later, grid in pairs if later == last)
    yield Passage("note", voice.say("page.comparison_note"))
    if older := tuple(grid for later, grid in pairs if later != last):
        yield Folded(voice.say("page.details_comparison"), older)


def _pairs(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice
) -> Iterator[tuple[str, Grid]]:
    """Yield the tables with their later release, those with the last one last."""
    chosen = pd.concat(
        worst_pairs(part, releases) for part in tables.by_subject(rows).values()
    )
    chosen["place"] = chosen["later"].map(list(releases).index)
    by_pair = chosen.groupby(["place", "earlier", "later", "sensitive"], sort=False)
    found = [(place, key, pair) for (place, *key), pair in by_pair]
    for _, (earlier, later, sensitive), pair in sorted(found, key=lambda row: row[0]):
        change = voice.say("page.column_change")
        yield (
            later,
            Grid(
                caption=f"{voice.subject(sensitive)}, {earlier} → {later}",
                headings=(
                    *voice.columns("page", "n_qids", "qids"),
                    *(earlier, later, change) * 2,
                ),
                rows=tuple(
                    (
                        voice.numbers.count(row["n_qids"]),
                        Names.of(tables.qids_of(row), voice),
                        *_shares(row, voice).values(),
                    )
                    for _, row in pair.sort_values("n_qids").iterrows()
                ),
                n_texts=2,
                over=(
                    (voice.say("page.column_posterior_det"), 3),
                    (voice.say("page.column_posterior_prob"), 3),
                ),
            ),
        )


def _shares(row: pd.Series, voice: Voice) -> dict[str, str]:
    """Write the shares of a row and their differences, in the order of the table."""
    told = {}
    for name in ("det", "prob"):
        told[f"earlier_{name}"], told[f"later_{name}"] = voice.numbers.two_shares(
            row[f"posterior_{name}_earlier"], row[f"posterior_{name}_later"]
        )
        told[f"difference_{name}"] = voice.numbers.change(row[f"difference_{name}"])
    return told


def _told(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice, unit: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each subject with the words of the largest subset on the last two releases.

    The subject is the attribute inferred, or empty for re-identification.
    """
    for sensitive, part in tables.by_subject(rows).items():
        chosen = worst_pairs(part, releases)
        place = chosen["later"].map(list(releases).index)
        row = chosen[place == place.max()].sort_values("n_qids").iloc[-1]
        yield sensitive, words_of(row, voice, unit)


def words_of(row: pd.Series, voice: Voice, unit: str) -> dict[str, Any]:
    """Return the words of the sentence on two releases that a row tells of."""
    shares = _shares(row, voice)
    for name in ("difference_det", "difference_prob"):
        shares[name] = voice.points(shares[name], row[name])
    return {**row, **shares, **unit_words(unit, voice)}
