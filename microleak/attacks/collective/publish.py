"""What is published of a collective analysis: its tables; counts for the public."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.attacks.collective.analysis import Collective
from microleak.family import Publication, measured, people
from microleak.sources.steps.intermediate import receipt
from microleak.study_file.model import Study
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")


def exact_counts(collective: pd.DataFrame, analysis: Collective) -> pd.DataFrame:
    """Return the counts of a public report with noise, as they are without it.

    With all QIDs, and with all auxiliary releases linked. One record more or fewer
    changes each by 1 at most: a new block is one more that is alone, one that joins a
    block of one makes one fewer, and the count of a most frequent value grows by 0 or
    1. Of how many a value is certain is not there: one record changes that for all of
    its block.

    Parameters
    ----------
    collective
        Collective measures of the analysis. They are not changed.
    analysis
        It has the set of all QIDs among its subsets.
    """
    is_of_panel = collective["auxiliary"] == "|".join(analysis.auxiliary)
    is_full = collective["n_qids"] == len(analysis.qids)
    rows = collective[is_of_panel & is_full]
    found = []
    for row in rows.to_dict("records"):
        n_records, guesses = (
            row["n_records"],
            round(row["prior_prob"] * row["n_records"]),
        )
        if row["sensitive"]:
            counts = {"most_frequent": guesses, "right_guesses": row["n_modal"]}
        else:
            counts = {"records": n_records, "alone": row["n_certain"]}
        found += [row | {"statistic": n, "n_noisy": e} for n, e in counts.items()]
    return TABLES["noisy_counts"].frame(found)


def counts(study: Study, study_dir: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the counts of a public report with noise, as they are without it."""
    for name, analysis in _counted(study):
        path = study_dir / measured("collective", name)
        exact = read_table(path, TABLES["collective"])
        yield f"noisy_counts/{name}", exact_counts(exact, analysis)


def counts_needs(study: Study) -> Iterator[str]:
    """Yield what `counts` reads, and the records that it counts."""
    for name, analysis in _counted(study):
        yield measured("collective", name)
        yield from (people(analysis.table, each) for each in analysis.releases)


def _counted(study: Study) -> Iterator[tuple[str, Collective]]:
    """Yield the analyses that measure all QIDs, of releases as they were released.

    In a release that is made of another, one person may change many records.
    """
    for name, analysis in study.analyses["collective"].items():
        of = {(analysis.table, each) for each in analysis.releases}
        if of.isdisjoint(study.made) and (1 << len(analysis.qids)) - 1 in (
            analysis.subsets
        ):
            yield name, analysis


def facts(study: Study, study_dir: Path) -> dict[str, Any]:
    """Return the adversaries of the study, and of each analysis what no table has."""
    return {
        "adversaries": [
            {"name": who.name, "qids": who.qids, "labels": who.labels}
            for who in study.shared["scenarios"]
        ],
        "analyses": {
            name: {
                "part_of": analysis.part_of,
                "fewer": analysis.fewer,
                "groups": {
                    each.name: {
                        "attribute": each.attribute,
                        "n_values": len(each.values),
                    }
                    for each in analysis.groups
                },
                "linked": linked_persons(study_dir, analysis),
            }
            for name, analysis in study.analyses["collective"].items()
        },
    }


def linked_persons(study_dir: Path, analysis: Collective) -> list[dict[str, Any]]:
    """Return how many focal persons each linked release of an analysis has."""
    found = []
    for path, auxiliary in zip(_receipts(analysis), analysis.auxiliary, strict=True):
        counts = receipt(study_dir / path)
        numbers = {name: counts[name] for name in ("n_focal", "n_linked")}
        found.append({"auxiliary": auxiliary, **numbers})
    return found


def needs(study: Study) -> list[str]:
    """Return the receipts of the releases that are linked, each once."""
    analyses = study.analyses["collective"].values()
    return sorted({path for each in analyses for path in _receipts(each)})


def _receipts(analysis: Collective) -> list[str]:
    folder = f"panels/{analysis.table}/{analysis.focal}"
    return [f"{folder}/{release}.json" for release in analysis.auxiliary]


PUBLICATION = Publication(
    (
        *("collective", "worst", "distribution", "values", "importance", "gain"),
        *("groups", "comparison", "states", "explained"),
    ),
    facts,
    needs,
    counts,
    counts_needs,
)
