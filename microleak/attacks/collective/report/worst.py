"""The worst that was measured, as Nunes' Table 4.4 has it."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from operator import itemgetter

import pandas as pd

from microleak.attacks.collective.figures.success import CERTAIN, drawn_distributions
from microleak.figures.numbers import Numbers
from microleak.report.parts import Grid, Names
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def worst_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject with the highest posterior by the best guess.

    Of equals that with the fewest releases, then with the fewest QIDs, then the first.
    """
    panels = tables.by_panel(worst[worst["criterion"] == "probabilistic"]).values()
    simplest = pd.concat(panel.sort_values("n_qids", kind="stable") for panel in panels)
    return simplest.iloc[int(simplest["posterior_prob"].astype("float64").argmax())]


def worst_grids(
    worst: pd.DataFrame, voice: Voice, qids: str = "", anchor: str = ""
) -> tuple[Grid, ...]:
    """Lay out the worst subsets of one subject, a table for each panel drawn.

    These are the focal release alone and, if any are linked, all releases; the row of
    some `qids` on the last of them can be linked to by its anchor.

    A size whose deterministic and probabilistic worst subsets differ has both
    rows, marked; one on which both agree has one row without a mark.
    """
    is_inferred = bool(worst["sensitive"].iloc[0])
    own = ("own",) if is_inferred else ()
    columns = ("posterior", "difference", "posterior", "ratio", "leakage", *own)
    panels = tables.first_and_last(tables.by_panel(worst))
    last = list(panels)[-1]
    return tuple(
        Grid(
            caption=voice.say("page.worst_caption", panel=label),
            headings=voice.columns("page", "n_qids", "qids", *columns),
            rows=tuple(
                (*names, *_measures(row, voice)) for names, row in _rows(panel, voice)
            ),
            n_texts=2,
            over=priors(panel.iloc[0], voice, 2, 4 if is_inferred else 3),
            anchors=tuple(
                anchor if label == last and row["qids"] == qids else ""
                for _, row in _rows(panel, voice)
            ),
        )
        for label, panel in panels.items()
    )


def count_grids(worst: pd.DataFrame, voice: Voice) -> tuple[Grid, ...]:
    """Lay out the counts of the same subsets, and how sure the surest guess is."""
    kind = "infer" if worst["sensitive"].iloc[0] else "reid"
    columns = (
        *("n_blocks", f"n_certain_{kind}", f"n_modal_{kind}"),
        *("largest_success", "n_largest"),
    )
    return tuple(
        Grid(
            caption=voice.say("page.details_success_caption", panel=label),
            headings=voice.columns("page", "n_qids", "qids", *columns),
            rows=tuple(
                (*names, *_counts(row, voice.numbers))
                for names, row in _rows(panel, voice)
            ),
            n_texts=2,
        )
        for label, panel in tables.first_and_last(tables.by_panel(worst)).items()
    )


def priors(
    row: pd.Series, voice: Voice, n_det: int, n_prob: int
) -> tuple[tuple[str, int], ...]:
    """Return what stands above the columns of both successes, with their priors."""
    return tuple(
        (voice.say(f"page.column_{name}", prior=voice.numbers.share(prior)), n)
        for name, prior, n in (
            ("deterministic", row["prior_det"], n_det),
            ("probabilistic", row["prior_prob"], n_prob),
        )
    )


def bin_grids(
    distribution: pd.DataFrame, worst: pd.DataFrame, voice: Voice
) -> tuple[Grid, ...]:
    """Lay out the bins that the second figure of one subject draws."""
    return tuple(
        Grid(
            caption=voice.say(
                "page.details_distribution_caption",
                attributes=voice.attributes(int(row["n_qids"])),
                panel=tables.panel_label(row),
                qids=", ".join(tables.qids_of(row)),
            ),
            headings=voice.columns("page", "bin", "n_records", "share"),
            rows=tuple(_bin_rows(bins, voice)),
        )
        for row, bins in drawn_distributions(distribution, worst)
    )


def _rows(
    panel: pd.DataFrame, voice: Voice
) -> Iterator[tuple[tuple[str, Names], pd.Series]]:
    """Yield the worst subsets by rising size, each with what names its row."""
    rows = [row for _, row in panel.sort_values(["n_qids", "criterion"]).iterrows()]
    for size, of_size in groupby(rows, key=itemgetter("n_qids")):
        first, *others = of_size
        is_agreed = all(row["qids"] == first["qids"] for row in others)
        for row in [first] if is_agreed else [first, *others]:
            marks = () if is_agreed else (voice.say(f"page.mark_{row['criterion']}"),)
            names = Names.of(tables.qids_of(row), voice, *marks)
            yield (voice.numbers.count(size), names), row


def _measures(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    return (
        numbers.share(row["posterior_det"]),
        numbers.points(row["degradation_det"]),
        numbers.share(row["posterior_prob"]),
        numbers.ratio(row["degradation_prob"]),
        numbers.points(row["additive_leakage"]),
        *((numbers.points(row["own_record"]),) if row["sensitive"] else ()),
    )


def _counts(row: pd.Series, numbers: Numbers) -> tuple[str, ...]:
    return (
        *(numbers.count(row[name]) for name in ("n_blocks", "n_certain", "n_modal")),
        numbers.share(row["largest_success"]),
        numbers.count(row["n_largest"]),
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
