"""What is published of a collective analysis beside its tables, and for the public."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from microleak.attacks.collective.analysis import Collective
from microleak.definitions.exact import kind_sums
from microleak.definitions.vectors import FIRST_SIZES, SIZES, Vector
from microleak.sources.steps.intermediate import receipt
from microleak.step import Publication, measures_path
from microleak.study_file.model import Study
from microleak.study_file.shown import check_counted, check_shown, shown_sets
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")


def vectors(study: Study) -> Iterator[Vector]:
    """Yield the counts of a public report, with all auxiliary releases linked."""
    # Of how many a value is certain is not there: one record may change that for all of
    # its block.
    analyses = study.analyses["collective"]
    every = {n: shown_sets(study, a.qids, a.subsets) for n, a in analyses.items()}
    check_shown(study, [each for shown in every.values() for each in shown])
    is_sized = study.noise is not None and study.noise.block_sizes
    for name, analysis in analyses.items():
        if shown := every[name]:
            check_counted(study, name, analysis.table, analysis.releases)
            yield from vectors_of(analysis, shown, is_sized)


def vectors_of(
    analysis: Collective, shown: Sequence[tuple[str, ...]], is_sized: bool
) -> Iterator[Vector]:
    """Yield the counts of an analysis, which measures all sets that are shown."""
    auxiliary = "|".join(analysis.auxiliary)
    measures = measures_path("collective", analysis.name)
    success = f"measures/success/{analysis.name}.parquet"

    @cache
    def rows(folder: Path) -> pd.DataFrame:
        exact = read_table(folder / measures, TABLES["collective"])
        of_panel = exact[exact["auxiliary"] == auxiliary]
        n_frequent = (of_panel["prior_prob"] * of_panel["n_records"]).round()
        named = of_panel.assign(n_most_frequent=n_frequent)
        return named.set_index(["qids", "sensitive"])

    def number(column: str, *key: str) -> Callable[[Path], list[int]]:
        return lambda folder: [int(rows(folder).loc[key, column])]

    releases = analysis.table, analysis.focal, analysis.auxiliary
    of = partial(Vector, analysis.name, *releases)
    first, needs = "|".join(shown[0]), (measures,)
    yield of("records", number("n_records", first, ""), needs)
    for name in analysis.sensitive:
        modal = number("n_most_frequent", first, name)
        yield of("most_frequent", modal, needs, sensitive=name)
    for qids in shown:
        joined = "|".join(qids)
        if is_sized:
            sizes = partial(block_sizes, success, auxiliary, joined)
            yield of("block_sizes", sizes, (success,), qids=qids, groups=SIZES)
        else:
            yield of("unique", number("n_certain", joined, ""), needs, qids=qids)
        for name in analysis.sensitive:
            right = number("n_modal", joined, name)
            yield of("right_guesses", right, needs, qids=qids, sensitive=name)


def block_sizes(path: str, auxiliary: str, qids: str, folder: Path) -> list[int]:
    """Return blocks by the class of their size, from the table of success."""
    wanted = [(n, "=", v) for n, v in (("auxiliary", auxiliary), ("qids", qids))]
    table = pq.read_table(
        folder / path,
        columns=["sensitive", "denominator", "n_records"],
        filters=[*wanted, ("sensitive", "=", "")],
    )
    # In re-identification the denominator of a success is the size of the block.
    sizes = table["denominator"].to_numpy()
    n_blocks = table["n_records"].to_numpy() // sizes
    place = np.searchsorted(FIRST_SIZES, sizes, side="right") - 1
    found: list[int] = kind_sums(place, n_blocks, len(SIZES)).tolist()
    return found


def facts(study: Study, study_dir: Path) -> dict[str, Any]:
    """Return what the study file shares, and of each analysis what no table has."""
    return {
        "adversaries": [asdict(who) for who in study.shared["scenarios"]],
        "splits": study.shared["splits"],
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


PUBLICATION = Publication(facts, needs, vectors)
