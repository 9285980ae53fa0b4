"""A census of which every subset of three attributes was attacked, in two panels."""

from itertools import combinations

import pandas as pd

from tests.collective_rows import bins_of, ingest_of, subset, worst_of
from tests.report.made import (
    AnyFigure,
    Made,
    Told,
    draw_analysis,
    read_figures,
    report_pages,
)

QIDS = ("NU_IDADE", "TP_SEXO", "CITY")
SUBSETS = ["|".join(names) for n in (1, 2, 3) for names in combinations(QIDS, n)]
CERTAIN = (3, 0, 512, 41, 23_117, 777, 30_123)
GUESS = (96, 3, 5_570, 190, 29_051, 9_803, 33_301)
"""Of each subset: records alone in their block, and number of blocks."""

N, PRIOR = 41_233, 30_000
LANGUAGES = ("pt", "en")


def collective():
    """Measures of the release alone, and linked with a second one that adds 5,003."""
    return pd.DataFrame(
        [
            _row(qids, alone, hits, auxiliary, sensitive)
            for auxiliary in ("", "2019")
            for sensitive in ("", "ILL")
            for qids, alone, hits in zip(SUBSETS, CERTAIN, GUESS, strict=True)
        ]
    )


def _row(qids, alone, hits, auxiliary, sensitive):
    more = 5_003 if auxiliary else 0
    which = {"n_records": N, "auxiliary": auxiliary, "sensitive": sensitive}
    if not sensitive:
        return subset(qids, alone + more, hits + more, **which)
    right = PRIOR + hits // 10 + more
    return subset(qids, alone, right, **which, prior_count=PRIOR, n_blocks=hits + more)


def tables_of(rows=None):
    """The tables of a page; `rows` are shown in the place of those of the census."""
    rows = collective() if rows is None else rows
    sizes = rows.groupby(["auxiliary", "sensitive", "n_qids"])["n_modal"]
    worst = worst_of(*rows.loc[sizes.idxmax()].to_dict("records"))
    tables = (rows.reset_index(drop=True), worst, bins_of(rows))
    ingest = ingest_of("census", {"2018": N}, synthetic="true")
    return Made(*({"pupils": table} for table in tables), ingest)


def pages_of(tables, figures=None, languages=LANGUAGES):
    """The texts of all pages, with empty drawings unless there are others."""
    return report_pages(Told("census"), tables, figures or AnyFigure(), languages)


def drawn(tables, folder):
    families = (tables.collective, tables.distribution, tables.worst)
    given = (family["pupils"] for family in families)
    draw_analysis(*given, folder / "pupils", LANGUAGES, True)
    return read_figures(folder, ["pupils"])
