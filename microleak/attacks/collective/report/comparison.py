"""Releases of a table side by side: sentences, and a table for each two."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.attacks.collective.figures.comparison import worst_pairs
from microleak.attacks.collective.report.drawing import comparison_path
from microleak.report.contents import Headline
from microleak.report.parts import figure_of
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class PairRow:
    """One subset's posteriors on two releases."""

    n_qids: str
    qids: tuple[str, ...]
    earlier_det: str
    later_det: str
    difference_det: str
    earlier_prob: str
    later_prob: str
    difference_prob: str


@dataclass(frozen=True)
class PairTable:
    """Two releases and one subject, a row for each number of QIDs."""

    subject: str
    earlier: str
    later: str
    rows: tuple[PairRow, ...]


@dataclass(frozen=True)
class Comparison:
    """All of one table, ready for the template.

    `latest` has the comparisons with the last release, `older` the others.
    """

    table: str
    anchor: str
    sentences: tuple[str, ...]
    figure: Markup
    latest: tuple[PairTable, ...]
    older: tuple[PairTable, ...]


def comparisons(
    study: Headline, compared: pd.DataFrame, figures: Mapping[str, str], voice: Voice
) -> Iterator[Comparison]:
    """Yield what is said of each table that has releases to compare.

    Parameters
    ----------
    study
        The releases of each table, and what a record of it stands for.
    compared
        Comparisons as `Tables.compared` gives them.
    figures
        SVG texts by their path.
    voice
        The language.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    if compared.empty:
        return
    for table in compared["table"].unique():
        of_table = compared[compared["table"] == table]
        releases = study.releases[table]
        pairs = list(_pair_tables(of_table, releases, voice))
        last = pairs[-1].later
        yield Comparison(
            table=table,
            anchor=f"{voice.language}-comparison-{quote(table)}",
            sentences=tuple(_sentences(of_table, releases, voice, study.unit(table))),
            figure=figure_of(figures, comparison_path(table, voice.language)),
            latest=tuple(pair for pair in pairs if pair.later == last),
            older=tuple(pair for pair in pairs if pair.later != last),
        )


def _pair_tables(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice
) -> Iterator[PairTable]:
    """Yield the tables, those with the last release last."""
    chosen = pd.concat(
        worst_pairs(part, releases) for part in tables.by_subject(rows).values()
    )
    chosen["place"] = chosen["later"].map(list(releases).index)
    by_pair = chosen.groupby(["place", "earlier", "later", "sensitive"], sort=False)
    found = [(place, key, pair) for (place, *key), pair in by_pair]
    for _, (earlier, later, sensitive), pair in sorted(found, key=lambda row: row[0]):
        yield PairTable(
            subject=voice.subject(sensitive),
            earlier=earlier,
            later=later,
            rows=tuple(_pair_row(row, voice) for _, row in _by_size(pair)),
        )


def _by_size(pair: pd.DataFrame) -> Iterator[tuple[int, pd.Series]]:
    yield from pair.sort_values("n_qids").iterrows()


def _pair_row(row: pd.Series, voice: Voice) -> PairRow:
    numbers = voice.numbers
    det, prob = (
        numbers.two_shares(row[f"{posterior}_earlier"], row[f"{posterior}_later"])
        for posterior in ("posterior_det", "posterior_prob")
    )
    return PairRow(
        n_qids=numbers.count(row["n_qids"]),
        qids=tuple(tables.qids_of(row)),
        earlier_det=det[0],
        later_det=det[1],
        difference_det=numbers.change(row["difference_det"]),
        earlier_prob=prob[0],
        later_prob=prob[1],
        difference_prob=numbers.change(row["difference_prob"]),
    )


def _sentences(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice, unit: str
) -> Iterator[str]:
    """Yield one sentence a subject: the largest subset on the last two releases."""
    for sensitive, part in tables.by_subject(rows).items():
        chosen = worst_pairs(part, releases)
        place = chosen["later"].map(list(releases).index)
        row = chosen[place == place.max()].sort_values("n_qids").iloc[-1]
        yield voice.say(
            f"comparison.{'infer' if sensitive else 'reid'}",
            attributes=voice.number_known(tables.qids_of(row)),
            qids=voice.known(tables.qids_of(row)),
            sensitive=voice.attribute(sensitive),
            of_units=voice.texts["unit"][unit]["of_many"],
            n_earlier=voice.numbers.count(row["n_records_earlier"]),
            n_later=voice.numbers.count(row["n_records_later"]),
            earlier=row["earlier"],
            later=row["later"],
            **_told(row, voice),
        )


def _told(row: pd.Series, voice: Voice) -> dict[str, str]:
    """Write the shares of a row and their differences, by name."""
    told = asdict(_pair_row(row, voice))
    for name in ("difference_det", "difference_prob"):
        told[name] = voice.points(told[name], row[name])
    return {name: text for name, text in told.items() if name not in {"n_qids", "qids"}}
