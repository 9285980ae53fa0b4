"""Entities of several rows, grouped by the multiset of their rows' QIDs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.entities import entity_blocks
from microleak.attacks.k_anonymity import BlockSizes, sizes_of
from microleak.attacks.kinds import run_starts, sums
from microleak.attacks.profile import Counts
from microleak.kernels.records import Codes
from microleak.progress import Advance, unseen
from microleak.study.subset_tree import SubsetTree, joined, most_identifying_first
from microleak.study.subsets import Subset


@dataclass(frozen=True)
class EntityRows:
    """Rows of entities, those of an entity one after the other.

    Attributes
    ----------
    entity
        Number of each row's entity, ascending.
    block, n_blocks
        Number of each row's block by the QIDs that are used up, and their bound.
    qids
        Codes of the other QIDs, by position.
    n_codes
        Number of codes of each QID.
    """

    entity: Counts
    block: Counts
    n_blocks: int
    qids: Mapping[int, Codes]
    n_codes: Sequence[int]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.entity)

    def split(self, qid: int) -> Self:
        """Return all rows, every block divided by one more QID, which is used up."""
        block, n_blocks = joined(
            self.block, self.n_blocks, self.qids[qid], self.n_codes[qid]
        )
        rest = {other: codes for other, codes in self.qids.items() if other != qid}
        return replace(self, block=block, n_blocks=n_blocks, qids=rest)

    def only(self, qids: Sequence[int]) -> Self:
        """Return rows with some of the QIDs."""
        return replace(self, qids={qid: self.qids[qid] for qid in qids})

    def of(self, is_kept: NDArray[np.bool_]) -> Self:
        """Return the rows of some entities, one claim for each, in their order."""
        lengths = np.diff(run_starts(self.entity), append=self.n_rows)
        rows = np.repeat(is_kept, lengths)
        qids = {qid: codes[rows] for qid, codes in self.qids.items()}
        return replace(
            self, entity=self.entity[rows], block=self.block[rows], qids=qids
        )

    @property
    def blocks(self) -> Counts:
        """Block of each entity, in their order, numbered from 0."""
        block = np.unique(self.block, return_inverse=True)[1]
        return entity_blocks(self.entity, block)


def entity_rows(
    entity: Codes, qids: Sequence[Codes], n_codes: Sequence[int]
) -> EntityRows:
    """Return the rows of entities from the codes of each row, in any order."""
    order = np.argsort(entity, kind="stable")
    by_qid = {i: codes[order] for i, codes in enumerate(qids)}
    block = np.zeros(len(entity), dtype=np.int64)
    ascending = entity[order].astype(np.int64)
    return EntityRows(ascending, block, 1, by_qid, n_codes)


def entity_sizes(
    rows: EntityRows, wanted: Collection[Subset], advance: Advance = unseen
) -> dict[Subset, BlockSizes]:
    """Return how many entities share a block, for each of the subsets wanted.

    An entity that is alone in its block is alone with more QIDs, too: its rows are
    left out from there on. There is at least one entity. `advance` is told of each
    subset that is compared.
    """
    n_entities = len(run_starts(rows.entity))
    found = dict.fromkeys(wanted, _all_alone(n_entities))

    def visit(subset: Subset, rows: EntityRows) -> EntityRows:
        """Count a subset's blocks by entities; leave those with several to split."""
        blocks = rows.blocks
        alone = _all_alone(n_entities - len(blocks))
        found[subset] = added([sizes_of(blocks), alone])
        advance(1)
        return rows.of(np.bincount(blocks)[blocks] > 1)

    tree = SubsetTree(most_identifying_first(rows.n_codes), visit)
    tree.descend(rows, 0, wanted)
    return found


def added(parts: Sequence[BlockSizes]) -> BlockSizes:
    """Return the sizes of the blocks of all parts; those of none are left out."""
    every = np.concatenate([part.size for part in parts])
    sizes, kind = np.unique(every, return_inverse=True)
    n_blocks = sums(kind, np.concatenate([part.n_blocks for part in parts]), len(sizes))
    return BlockSizes(sizes[n_blocks > 0], n_blocks[n_blocks > 0])


def _all_alone(n_entities: int) -> BlockSizes:
    return BlockSizes(np.array([1]), np.array([n_entities]))
