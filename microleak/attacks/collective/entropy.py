"""How evenly QIDs and sensitive attributes divide the records of an analysis."""

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
from microleak.base.progress import progress
from microleak.definitions.profile import Counts
from microleak.records.chunks import ParquetChunks
from microleak.records.coding import dictionary
from microleak.records.profile_file import read_profiles
from microleak.records.subsets import names_of
from microleak.tables.spec import tables_of

TABLE = tables_of("microleak.attacks.collective")["entropy"]


def entropies(profiles: Path, people: Path, analysis: Collective) -> pd.DataFrame:
    """Return the entropy of every QID subset and of each sensitive attribute.

    Parameters
    ----------
    profiles
        Block profiles of the analysis on its focal release alone.
    people
        Records of that release, one a person. Of them the sensitive attributes
        are read, one after the other and chunk by chunk; null is a value.
    analysis
        The analysis; what it links does not matter.

    Returns
    -------
    pandas.DataFrame
        The table `entropy`: first the subsets, by number of QIDs and their
        order in the study file, then the sensitive attributes. Sizes of blocks
        are one division of integers each.
    """
    found = [*_of_qids(profiles, analysis), *_of_sensitive(people, analysis.sensitive)]
    which = {
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
    }
    return TABLE.frame(which | row for row in found)


def _of_qids(profiles: Path, analysis: Collective) -> Iterator[dict[str, Any]]:
    rows = {
        subset: _row("qid", names_of(subset, analysis.qids), blocks)
        for subset, by_sensitive in read_profiles(profiles)
        if subset
        for profile in [by_sensitive[0]]
        for blocks in [(profile.block_size, profile.n_blocks)]
    }
    yield from (rows[subset] for subset in analysis.subsets)


def _of_sensitive(people: Path, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    chunks = ParquetChunks([people])
    with progress("counting values", chunks.n_rows * len(names)) as advance:
        for name in names:
            parts = (chunks.read(i, [name]).column(0) for i in range(chunks.n_chunks))
            counts = dictionary(parts, name, inf).counts
            advance(chunks.n_rows)
            yield _row("sensitive", [name], (counts, np.ones_like(counts)))


def _row(
    role: str, attributes: Sequence[str], blocks: tuple[Counts, Counts]
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
