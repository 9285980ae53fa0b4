"""How evenly attributes divide the records, and what each of them brings."""

from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.definitions.entropy import (
    expected_block_size,
    mean_block_size,
    shannon_entropy,
)
from microleak.attacks.collective.definitions.importance import shapley_values
from microleak.base.arrays import Integers
from microleak.base.progress import progress
from microleak.definitions.profile import SUCCESSES
from microleak.records.chunks import Given, chunks_of
from microleak.records.coding import dictionary_of
from microleak.records.profile_file import read_profiles
from microleak.records.subsets import names_of
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")


def entropies(profiles: Path, people: Given, analysis: Collective) -> pd.DataFrame:
    """Return the entropy of every QID subset and of each sensitive attribute."""
    found = [*_of_qids(profiles, analysis), *_of_sensitive(people, analysis.sensitive)]
    which = {
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
    }
    return as_table(TABLES["entropy"], (which | row for row in found))


def _of_qids(profiles: Path, analysis: Collective) -> Iterator[dict[str, Any]]:
    rows = {}
    for subset, by_sensitive in read_profiles(profiles):
        if subset:
            blocks = by_sensitive[0].block_size, by_sensitive[0].n_blocks
            rows[subset] = _row("qid", names_of(subset, analysis.qids), blocks)
    yield from (rows[subset] for subset in analysis.subsets)


def _of_sensitive(people: Given, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    chunks = chunks_of([people])
    with progress("counting values", chunks.n_rows * len(names)) as advance:
        for name in names:
            counts = dictionary_of(chunks, name, inf, advance).counts
            yield _row("sensitive", [name], (counts, np.ones_like(counts)))


def _row(
    role: str, attributes: Sequence[str], blocks: tuple[Integers, Integers]
) -> dict[str, Any]:
    """Return the row of attributes whose blocks have some sizes, so many of each."""
    sizes, n_blocks = blocks
    return {
        "role": role,
        "attributes": "|".join(attributes),
        "n_attributes": len(attributes),
        "n_records": int(sizes @ n_blocks),
        "n_blocks": int(n_blocks.sum()),
        "entropy": shannon_entropy(sizes, n_blocks),
        "mean_block_size": float(mean_block_size(sizes, n_blocks)),
        "expected_block_size": float(expected_block_size(sizes, n_blocks)),
    }


_WHICH = ["attack", "analysis", "table", "focal", "auxiliary", "sensitive"]


def importance(collective: pd.DataFrame) -> pd.DataFrame:
    """Return what is lost without each QID, and its Shapley value, for each attack."""
    rows: list[dict[str, Any]] = []
    for which, attack in collective.groupby(_WHICH, sort=False):
        # Of which all subsets were measured
        if len(attack) == 2 ** attack["n_qids"].max() - 1:
            rows += _rows(dict(zip(_WHICH, which, strict=True)), attack)
    return as_table(TABLES["importance"], rows)


def _rows(which: dict[str, Any], attack: pd.DataFrame) -> Iterator[dict[str, Any]]:
    n_records = int(attack["n_records"].iloc[0])
    qids = str(attack.loc[attack["n_qids"].idxmax(), "qids"]).split("|")
    found = {name: _successes(attack, name, qids) for name in SUCCESSES}
    values = {name: shapley_values(found[name], len(qids)) for name in SUCCESSES}
    whole = (1 << len(qids)) - 1
    for i, qid in enumerate(qids):
        without = {name: found[name][whole ^ 1 << i] for name in SUCCESSES}
        yield {
            **which,
            "qid": qid,
            "n_records": n_records,
            "additive_leakage_without": (without["prob"] - found["prob"][0])
            / n_records,
            **{f"posterior_{n}": found[n][whole] / n_records for n in SUCCESSES},
            **{f"posterior_{n}_without": without[n] / n_records for n in SUCCESSES},
            **{f"shapley_{n}": float(values[n][i] / n_records) for n in SUCCESSES},
        }


def _successes(attack: pd.DataFrame, name: str, qids: list[str]) -> dict[int, int]:
    """Return the count of every subset, and the prior's, whose share is exact."""
    bit = {qid: 1 << i for i, qid in enumerate(qids)}
    subsets = (sum(bit[qid] for qid in known.split("|")) for known in attack["qids"])
    counts = map(int, attack[SUCCESSES[name]])
    first = attack.iloc[0]
    prior = round(first[f"prior_{name}"] * int(first["n_records"]))
    return {0: prior, **dict(zip(subsets, counts, strict=True))}


def gains(collective: pd.DataFrame) -> pd.DataFrame:
    """Return how much higher a posterior is than with one auxiliary release less."""
    earlier = collective.groupby(["sensitive", "qids"], sort=False)
    is_first = earlier.cumcount() == 0
    gained = {}
    for name, count in SUCCESSES.items():
        added = collective[count] - earlier[count].shift(1, fill_value=0)
        share = (added / collective["n_records"]).astype("float64")
        gained[f"gain_{name}"] = share.mask(is_first)
    return collective.assign(**gained)[TABLES["gain"].names]
