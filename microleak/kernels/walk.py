"""The walk over QID subsets that yields every subset's block profile.

Subsets are grouped by the most identifying QID they have. For each such QID in
turn, the table of all records without the QIDs before it is cut into buckets by
its values, so that no block lies in two of them; the tree of decisions is
walked in each bucket, and the profiles are added. Buckets are small enough for
a processor's cache, and threads share them.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from microleak.kernels.blocks import Table, add_tally, merge_equal
from microleak.kernels.buckets import Bucket, Cut, balanced_cut, joined, scattered
from microleak.kernels.keys import Attribute, BitField, Packed, pack, sensitive_groups
from microleak.kernels.tally import Histogram, Tally, copy_tally, histogram
from microleak.kernels.tree import Node, Subset, Subsets, Tree, one_block

MOST_RECORDS = 2**31 - 1

ROWS_A_BUCKET = 1 << 21
"""Most rows of a bucket, whose keys and weights then take 24 MiB."""


def walk(
    qids: Sequence[Attribute],
    sensitive: Sequence[Attribute],
    subsets: Sequence[Subset],
    n_threads: int = 1,
) -> dict[Subset, Histogram]:
    """Return the block profile of each of the QID subsets wanted.

    Parameters
    ----------
    qids, sensitive
        Coded attributes of at least one record and fewer than 2**31. Without a
        sensitive attribute, blocks are profiled for one with equal values.
    subsets
        Subsets of the QIDs, in any order; 0 is the empty one, whose only block
        holds all records.
    n_threads
        Threads that share the work; the result does not depend on it.

    Results are the same for any order of records, attributes or subsets.
    """
    n_records = len(qids[0].codes)
    assert 1 <= n_records <= MOST_RECORDS
    wanted = np.unique(np.array(subsets, dtype=np.int64))
    used = {q: qids[q] for q in range(len(qids)) if np.any(wanted >> q & 1)}
    found: dict[Subset, Histogram] = {}
    n_sensitive = 0
    for group in sensitive_groups(sensitive or [_equal(n_records)]):
        spine = _Spine(pack(used, group), n_threads)
        spine.walk(wanted)
        for subset in wanted.tolist():
            part = histogram(spine.found.pop(subset), n_sensitive)
            found[subset] = found[subset] + part if subset in found else part
        n_sensitive += len(group)
    return found


def _equal(n_records: int) -> Attribute:
    return Attribute(np.zeros(n_records, dtype=np.uint8), 1)


@dataclass
class _Spine:
    """The decisions against one QID after another, with a tree beside each."""

    packed: Packed
    n_threads: int
    found: dict[Subset, Tally] = field(default_factory=dict)

    def walk(self, wanted: Subsets) -> None:
        """Profile all subsets wanted, those with the first QID first."""
        level, fields = 0, self.packed.levels[0].fields
        buckets = self._cut([self._all_rows()], fields)
        while len(wanted) and (fields or not self.packed.is_last(level)):
            if fields:
                step = self._step(level, fields, wanted, buckets)
                buckets = self._taken(step, buckets)
                wanted, fields = step.left, step.rest
            else:
                rows = joined(buckets)
                keys = self.packed.descend(level, rows.keys)
                level, fields = level + 1, self.packed.levels[level + 1].fields
                buckets = self._cut([Bucket(keys, rows.weights)], fields)
        if len(wanted):
            tree = Tree(self.packed)
            rows = joined(buckets)
            tree.visit(Node(_merged(rows, self.packed), level, (), wanted))
            self._add(tree.found)

    def _all_rows(self) -> Bucket:
        """Return the records' keys, and hold them no longer."""
        keys = self.packed.keys
        self.packed = replace(self.packed, keys=keys[:0].copy())
        most = 1 + len(keys) // (2 * self.n_threads)
        self.rows_a_bucket = min(ROWS_A_BUCKET, most)
        return Bucket(keys, np.ones(len(keys), dtype=np.int32))

    def _cut(self, buckets: list[Bucket], fields: Sequence[BitField]) -> list[Bucket]:
        if not fields:
            return buckets
        cut = balanced_cut(buckets, fields[0], self.rows_a_bucket)
        return scattered(joined(buckets), cut)

    def _step(
        self,
        level: int,
        fields: tuple[BitField, ...],
        wanted: Subsets,
        buckets: Sequence[Bucket],
    ) -> "_Step":
        has = wanted >> fields[0].qid & 1 == 1
        left = wanted[~has]
        needed = int(np.bitwise_or.reduce(left)) if len(left) else 0
        rest = tuple(f for f in fields[1:] if needed >> f.qid & 1)
        cut = balanced_cut(buckets, rest[0], self.rows_a_bucket) if rest else None
        return _Step(self.packed, level, fields, wanted[has], left, rest, cut)

    def _taken(self, step: "_Step", buckets: list[Bucket]) -> list[Bucket]:
        """Walk beside the spine in every bucket; return the buckets further on."""
        further: list[list[Bucket]] = []
        with ThreadPoolExecutor(max_workers=self.n_threads) as pool:
            outcomes = pool.map(step.take, buckets)
            buckets.clear()  # so that each is freed when its task is done
            for parts, found in outcomes:
                self._add(found)
                further.append(parts)
        return [joined(parts) for parts in zip(*further, strict=True)]

    def _add(self, found: dict[Subset, Tally]) -> None:
        for subset, tally in found.items():
            known = self.found.get(subset)
            self.found[subset] = add_tally(known, tally) if known else copy_tally(tally)


@dataclass(frozen=True)
class _Step:
    """One step along the spine: what is walked beside it and what goes on.

    `wanted` are the subsets with the first of `fields`, `left` those without,
    `rest` the fields that they need, and `cut` the next step's buckets.
    """

    packed: Packed
    level: int
    fields: tuple[BitField, ...]
    wanted: Subsets
    left: Subsets
    rest: tuple[BitField, ...]
    cut: Cut | None

    def take(self, bucket: Bucket) -> tuple[list[Bucket], dict[Subset, Tally]]:
        """Return a bucket's rows for the next step and the blocks beside."""
        tree = Tree(self.packed)
        if not len(bucket.keys):
            return [bucket] * (self.cut.n_buckets if self.cut else 1), tree.found
        table = _merged(bucket, self.packed)
        rows = Bucket(
            table.keys & tree.kept(self.level, self.rest), table.weights.copy()
        )
        parts = scattered(rows, self.cut) if self.cut else [rows]
        if len(self.wanted):
            node = Node(table, self.level, self.fields, self.wanted)
            tree.visit(tree.with_first(node, self.wanted))
        return parts, tree.found


def _merged(bucket: Bucket, packed: Packed) -> Table:
    keys, weights = merge_equal(bucket.keys, bucket.weights)
    return one_block(keys, weights, len(packed.fields.shifts))
