"""One person looked for in two releases by links without an identifier.

The table says which attributes are known of the target, never their values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.linkage.blocks import Bucket
from microleak.attacks.linkage.definitions.quality import N_PARTS
from microleak.attacks.linkage.linked import Linked
from microleak.attacks.linkage.section import Linkage
from microleak.attacks.linkage.words import Both, both_of
from microleak.base.arrays import BitWords, Floats, Integers, Mask
from microleak.base.machine import Resources
from microleak.definitions.exact import kind_sums, repeated_places
from microleak.records.chunks import Given
from microleak.records.memory import Memory, full_disk_said
from microleak.records.record_filter import distinct_text
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.linkage")

KnownOfReleases = Mapping[str, Mapping[str, str | None]]
"""What is known of a target by release and attribute; None is a missing value."""


@dataclass(frozen=True)
class Candidates:
    """Records that may be the target's, of some blocks, as they are added up."""

    # Focal and auxiliary records that have what is known of their release, in these
    # blocks
    n_focal: int
    n_auxiliary: int
    # The largest P(z | i) of the focal ones, and the sum of all
    most: float
    total: float
    # Focal ones, and the sum of their P(z | i), by the code of each sensitive attribute
    n_of_value: Sequence[Integers]
    chance_of_value: Sequence[Floats]

    def __add__(self, other: "Candidates") -> "Candidates":
        n_of_value = zip(self.n_of_value, other.n_of_value, strict=True)
        chances = zip(self.chance_of_value, other.chance_of_value, strict=True)
        return Candidates(
            self.n_focal + other.n_focal,
            self.n_auxiliary + other.n_auxiliary,
            max(self.most, other.most),
            self.total + other.total,
            [one + another for one, another in n_of_value],
            [one + another for one, another in chances],
        )


def linked_target_table(
    releases: tuple[Given, Given],
    analysis: Linkage,
    target: str,
    known: KnownOfReleases,
    resources: Resources,
) -> pd.DataFrame:
    """Look for one target in both releases: re-identification, and each inference."""
    memory = Memory(resources, f"target {target!r} of analysis {analysis.name!r}")
    with full_disk_said(memory.where, resources.scratch):
        both, memory = both_of(*releases, analysis, memory)
        n_threads = memory.resources.threads
        linked = Linked(both, analysis, memory.new_shelf(), n_threads)
        n_values = [len(both.focal.values[name].values) for name in analysis.sensitive]
        asked = _Asked(linked, both, _codes(both, analysis, known), n_values)
        found = reduce(add, linked.of_each(asked.candidates))
    rows = _rows(found, both, (target, known), analysis)
    return as_table(TABLES["linked_target"], rows)


@dataclass(frozen=True)
class _Codes:
    """What is known as codes of QIDs by their place; None is a value nobody has.

    `may_be_absent` says that all that is known of the auxiliary release is missing.
    """

    focal: Mapping[int, int | None]
    auxiliary: Mapping[int, int | None]
    may_be_absent: bool


def _codes(both: Both, analysis: Linkage, known: KnownOfReleases) -> _Codes:
    def code(release: str, name: str, value: str | None) -> int | None:
        values = both.focal.values[name].values
        if value is not None and name in analysis.recodings.get(release, {}):
            value = analysis.recodings[release][name].common.get(value)
            if value is None:
                return None
        found: int | None = pc.index_in(pa.scalar(value, values.type), values).as_py()
        return found

    def of(release: str) -> dict[int, int | None]:
        return {
            both.qids.names.index(name): code(release, name, value)
            for name, value in known.get(release, {}).items()
        }

    auxiliary = of(analysis.linked)
    values = known.get(analysis.linked, {}).values()
    is_absent = bool(auxiliary) and all(value is None for value in values)
    return _Codes(of(analysis.focal), auxiliary, is_absent)


@dataclass(frozen=True)
class _Asked:
    linked: Linked
    both: Both
    codes: _Codes
    n_values: Sequence[int]

    def _has(self, qids: BitWords, codes: Mapping[int, int | None]) -> Mask:
        has = np.ones(len(qids), dtype=np.bool_)
        if codes:
            of_record = self.both.qids.codes(qids)
            for place, code in codes.items():
                has &= False if code is None else of_record[place] == code
        return has

    def candidates(self, bucket: Bucket) -> Candidates:
        focal = bucket.focal
        places = np.flatnonzero(self._has(focal.qids, self.codes.focal))
        n_known = bucket.n_entry * self._has(bucket.entry_qids, self.codes.auxiliary)
        chances = np.ones(len(places))
        if len(places) and self.codes.auxiliary:
            rows, row_of_place = np.unique(focal.row[places], return_inverse=True)
            chances = self._of_rows(bucket, rows, n_known)[row_of_place.reshape(-1)]
        codes = [each[places] for each in focal.sensitive]
        each = list(zip(codes, self.n_values, strict=True))
        return Candidates(
            len(places),
            int(n_known.sum()),
            float(chances.max(initial=0)),
            float(chances.sum()),
            [np.bincount(code, minlength=n) for code, n in each],
            [np.bincount(code, chances, n).astype(np.float64) for code, n in each],
        )

    def _of_rows(self, bucket: Bucket, rows: Integers, n_known: Integers) -> Floats:
        """Return P(z | i) of focal rows, given how many of each entry are known."""
        blocks = bucket.blocks
        chances, _ = self.linked.chances(bucket)
        n_of_row = kind_sums(bucket.entry_row, n_known, len(blocks.n_auxiliary))
        block, first = bucket.pairs_of(rows, np.zeros_like(rows))
        first += blocks.first_auxiliary[block]
        width = np.diff(blocks.first_auxiliary)[block]
        place, pair = repeated_places(width, first)
        other = pair + np.repeat(blocks.first_auxiliary[block] - first, width)
        linked = chances[pair] * n_of_row[other]
        found = np.bincount(place, linked, len(rows)).astype(np.float64)
        if self.codes.may_be_absent:
            linked = chances[pair] * blocks.n_auxiliary[other]
            found = found + np.maximum(1 - np.bincount(place, linked, len(rows)), 0)
        return found


def _rows(
    found: Candidates, both: Both, who: tuple[str, KnownOfReleases], analysis: Linkage
) -> Iterator[dict[str, Any]]:
    target, known = who
    n_records = both.focal.chunks.n_rows
    shown = [
        name if release == analysis.focal else f"{release}.{name}"
        for release, values in known.items()
        for name in values
    ]
    for attack, sensitive in enumerate(("", *analysis.sensitive)):
        most, alone, most_likely = 1, 1, ""
        best, total = found.most, found.total
        if attack:
            most = int(both.focal.counts[sensitive].max())
            alone = int(found.n_of_value[attack - 1].max())
            weights = found.chance_of_value[attack - 1]
            # Of sums of the same numbers, as the quotient is 1 at most.
            best, total = float(weights.max()), float(weights.sum())
            if total:
                values = both.focal.values[sensitive].values
                most_likely = _most_likely(weights, values)
        yield {
            "target": target,
            "table": analysis.table,
            "focal": analysis.focal,
            "auxiliary": analysis.linked,
            "known": "|".join(shown),
            "n_known": len(shown),
            "sensitive": sensitive,
            "outcome": "match" if total else "no match",
            "n_records": n_records,
            "n_candidates": found.n_focal,
            "n_auxiliary_candidates": found.n_auxiliary,
            "prior_prob": most / n_records,
            "posterior_prob_single": alone / found.n_focal if found.n_focal else None,
            "posterior_prob": best / total if total else None,
            "most_likely": most_likely,
        }


def _most_likely(weights: Floats, values: pa.Array) -> str:
    best = np.flatnonzero(weights >= weights.max() * (1 - 1 / N_PARTS))
    return "|".join(sorted(map(distinct_text, values.take(pa.array(best)).to_pylist())))
