"""What is published of a collective analysis beside its tables, and for the public."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from microleak.attacks.collective.analysis import Collective
from microleak.definitions.vectors import FIRST_SIZES, SIZES, Vector
from microleak.family import Publication, measured, people
from microleak.sources.steps.intermediate import receipt
from microleak.study_file.model import Study
from microleak.study_file.noise import NoiseSection
from microleak.study_file.shown import check_counted, check_shown, shown_sets
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")


def counts(study: Study, study_dir: Path) -> Iterator[Vector]:
    """Yield the counts of a public report, with all auxiliary releases linked.

    Of how many a value is certain is not there: one record may change that for all of
    its block.
    """
    for name, analysis, shown in _counted(study):
        path = study_dir / measured("collective", name)
        exact = read_table(path, TABLES["collective"])
        success = study_dir / f"measures/success/{name}.parquet"
        yield from vectors(analysis, shown, exact, _sizes_of(success, study.noise))


def vectors(
    analysis: Collective,
    shown: Sequence[tuple[str, ...]],
    exact: pd.DataFrame,
    sizes: Callable[[str, str], Mapping[str, int]] | None,
) -> Iterator[Vector]:
    """Yield the counts of an analysis.

    Parameters
    ----------
    analysis
        The analysis, which measures all that is shown.
    shown
        Sets of its QIDs, in its order.
    exact
        Its collective measures.
    sizes
        Returns its blocks by the class of their size, given auxiliary releases and
        QIDs, both joined by |; None to count those of one record only.
    """
    auxiliary = "|".join(analysis.auxiliary)
    rows = exact[exact["auxiliary"] == auxiliary].set_index(["qids", "sensitive"])
    of = partial(
        Vector, analysis.name, analysis.table, analysis.focal, analysis.auxiliary
    )
    whole = rows.loc["|".join(shown[0])]
    n_records = int(whole.loc["", "n_records"])
    yield of("records", {"": n_records})
    for name in analysis.sensitive:
        n_most = round(whole.loc[name, "prior_prob"] * n_records)
        yield of("most_frequent", {"": n_most}, sensitive=name)
    for qids in shown:
        joined = "|".join(qids)
        if sizes:
            yield of("block_sizes", sizes(auxiliary, joined), qids=qids)
        else:
            n_unique = int(rows.loc[(joined, ""), "n_certain"])
            yield of("unique", {"": n_unique}, qids=qids)
        for name in analysis.sensitive:
            n_right = int(rows.loc[(joined, name), "n_modal"])
            yield of("right_guesses", {"": n_right}, qids=qids, sensitive=name)


def _sizes_of(
    path: Path, noise: NoiseSection | None
) -> Callable[[str, str], Mapping[str, int]] | None:
    return partial(block_sizes, path) if noise and noise.block_sizes else None


def block_sizes(path: Path, auxiliary: str, qids: str) -> dict[str, int]:
    """Return blocks by the class of their size, from the table of success.

    In re-identification the denominator of a success is the size of the block.
    """
    wanted = [(n, "=", v) for n, v in (("auxiliary", auxiliary), ("qids", qids))]
    table = pq.read_table(
        path,
        columns=["sensitive", "denominator", "n_records"],
        filters=[*wanted, ("sensitive", "=", "")],
    )
    sizes = table["denominator"].to_numpy()
    n_blocks = table["n_records"].to_numpy() // sizes
    place = np.searchsorted(FIRST_SIZES, sizes, side="right") - 1
    found = np.zeros(len(SIZES), dtype=np.int64)
    np.add.at(found, place, n_blocks)
    return dict(zip(SIZES, found.tolist(), strict=True))


def counts_needs(study: Study) -> Iterator[str]:
    """Yield what `counts` reads, and the records that it counts."""
    for name, analysis, _ in _counted(study):
        yield measured("collective", name)
        if study.noise and study.noise.block_sizes:
            yield f"measures/success/{name}.parquet"
        yield from (people(analysis.table, each) for each in analysis.releases)


def _counted(
    study: Study,
) -> Iterator[tuple[str, Collective, Sequence[tuple[str, ...]]]]:
    """Yield the analyses that are counted, and the sets of QIDs that are shown."""
    analyses = study.analyses["collective"]
    every = {n: shown_sets(study, a.qids, a.subsets) for n, a in analyses.items()}
    check_shown(study, [each for shown in every.values() for each in shown])
    for name, analysis in analyses.items():
        if shown := every[name]:
            check_counted(study, name, analysis.table, analysis.releases)
            yield name, analysis, shown


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
    facts,
    needs,
    counts,
    counts_needs,
)
