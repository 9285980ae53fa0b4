"""Tables of the page: cells as text, laid out as Nunes' Table 4.4."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter

import pandas as pd

from microleak.attacks.collective.figures.success import CERTAIN, drawn_distributions
from microleak.figures.numbers import Numbers
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class WorstRow:
    """One worst subset; `marks` says by which criterion if not by both."""

    n_qids: str
    qids: tuple[str, ...]
    marks: tuple[str, ...]
    posterior_det: str
    degradation_det: str
    posterior_prob: str
    degradation_prob: str
    additive_leakage: str
    n_blocks: str
    n_certain: str
    n_modal: str


@dataclass(frozen=True)
class WorstTable:
    """The worst subsets of one panel, and the priors they are compared with."""

    panel: str
    prior_det: str
    prior_prob: str
    rows: tuple[WorstRow, ...]


@dataclass(frozen=True)
class BinTable:
    """The records of one subset by individual success: (bin, records, share)."""

    panel: str
    attributes: str
    qids: str
    rows: tuple[tuple[str, str, str], ...]


def worst_tables(worst: pd.DataFrame, voice: Voice) -> tuple[WorstTable, ...]:
    """Lay out the worst subsets of one subject, a table for each panel drawn.

    These are the focal release alone and, if any are linked, all releases.

    A size whose deterministic and probabilistic worst subsets differ has both
    rows, marked; one on which both agree has one row without a mark.
    """
    return tuple(
        WorstTable(
            panel=label,
            prior_det=voice.numbers.share(panel["prior_det"].iloc[0]),
            prior_prob=voice.numbers.share(panel["prior_prob"].iloc[0]),
            rows=tuple(_worst_rows(panel, voice)),
        )
        for label, panel in tables.ends(tables.by_panel(worst)).items()
    )


def bin_tables(
    distribution: pd.DataFrame, worst: pd.DataFrame, voice: Voice
) -> tuple[BinTable, ...]:
    """Lay out the bins that the second figure of one subject draws."""
    return tuple(
        BinTable(
            panel=tables.panel_label(row),
            attributes=voice.attributes(int(row["n_qids"])),
            qids=", ".join(tables.qids_of(row)),
            rows=tuple(_bin_rows(bins, voice)),
        )
        for row, bins in drawn_distributions(distribution, worst)
    )


def _worst_rows(panel: pd.DataFrame, voice: Voice) -> Iterator[WorstRow]:
    ordered = panel.sort_values(["n_qids", "criterion"])
    rows = [row for _, row in ordered.iterrows()]
    for _, of_size in groupby(rows, key=itemgetter("n_qids")):
        first, *others = of_size
        is_agreed = all(row["qids"] == first["qids"] for row in others)
        for row in [first] if is_agreed else [first, *others]:
            mark = voice.say(f"page.mark_{row['criterion']}")
            yield _worst_row(row, () if is_agreed else (mark,), voice)


def _worst_row(row: pd.Series, marks: tuple[str, ...], voice: Voice) -> WorstRow:
    numbers = voice.numbers
    return WorstRow(
        n_qids=numbers.count(row["n_qids"]),
        qids=tuple(tables.qids_of(row)),
        marks=marks,
        posterior_det=numbers.share(row["posterior_det"]),
        degradation_det=numbers.points(row["degradation_det"]),
        posterior_prob=numbers.share(row["posterior_prob"]),
        degradation_prob=numbers.ratio(row["degradation_prob"]),
        additive_leakage=numbers.points(row["additive_leakage"]),
        n_blocks=numbers.count(row["n_blocks"]),
        n_certain=numbers.count(row["n_certain"]),
        n_modal=numbers.count(row["n_modal"]),
    )


def _bin_rows(bins: pd.DataFrame, voice: Voice) -> Iterator[tuple[str, str, str]]:
    numbers = voice.numbers
    ordered = bins.assign(share=tables.record_shares(bins)).sort_values("bin")
    columns = (ordered[name] for name in ("bin", "n_records", "share"))
    for number, n_records, share in zip(*columns, strict=True):
        yield (
            _bin_label(int(number), voice),
            numbers.count(n_records),
            numbers.share(share),
        )


def _bin_label(number: int, voice: Voice) -> str:
    edges = _edges(voice.numbers)
    if number == CERTAIN:
        return voice.say("page.bin_certain", share=edges[number])
    return voice.say("page.bin", low=edges[number], high=edges[number + 1])


@cache
def _edges(numbers: Numbers) -> tuple[str, ...]:
    """Write the edges of all bins in a language, once for all pages."""
    return tuple(f"{numbers.count(edge)}%" for edge in range(CERTAIN + 1))
