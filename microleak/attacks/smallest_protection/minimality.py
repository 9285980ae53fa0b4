"""What the choice of the smallest protection gives away, from records to rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from microleak.attacks.smallest_protection.definitions.assignments import (
    AnswerBlock,
    Bounds,
    TooMuchError,
)
from microleak.attacks.smallest_protection.definitions.minimality import (
    GivenAway,
    before,
    given_away,
)
from microleak.attacks.smallest_protection.definitions.nodes import finer, maximal
from microleak.attacks.smallest_protection.kernels.risks import RiskRows
from microleak.attacks.smallest_protection.lattice import Lattice
from microleak.attacks.smallest_protection.search import Decisions
from microleak.attacks.smallest_protection.section import Loss, ProtectionTarget, Search
from microleak.base.arrays import Codes, Integers
from microleak.base.progress import progress
from microleak.definitions.exact import first_places, kind_sums
from microleak.protection.methods import blocks_and_sizes

MOST_NODES = 50
"""Nodes that failed up to which the records are read, once for each of them."""

MOST_BLOCKS = 500_000  # Blocks of a finer node up to which the records are read for it
MinimalityRow = dict[str, Any]


def minimality(
    found: Decisions, analysis: Search, answer: int
) -> Iterator[tuple[int, MinimalityRow]]:
    """Yield what it gives away that nodes failed, by their numbers and attribute."""
    # These are nodes finer than the answer that lose no more, so that they are known to
    # have failed; of those the ones that are coarsest, and that do not fail by the QIDs
    # alone.
    if not analysis.target.needs_sensitive:
        return
    failed = {node: _projected(found, node) for node in _failed(found, answer)}
    _risks(found, [answer, *(each for every in failed.values() for each in every)])
    nodes = [n for n, each in failed.items() if not _by_qids(found, analysis, each)]
    at_answer, n = _risks(found, [answer]), found.n_records
    with progress("weighing what the choice gives away", len(nodes)) as advance:
        for node in nodes:
            every: list[GivenAway | str] = ["size"] * len(analysis.sensitive)
            if len(nodes) <= MOST_NODES:
                every = _weighed(found, analysis, node, answer)
            for s, each in enumerate(every):
                row = {
                    "sensitive": analysis.sensitive[s],
                    "n_records": n,
                    "n_certain": int(at_answer.n_certain[0, s]),
                    "posterior_prob": int(at_answer.n_modal[0, s]) / n,
                }
                yield node, row | _row(each)
            advance(1)


def _row(told: GivenAway | str) -> MinimalityRow:
    if isinstance(told, str):
        return {"is_measured": "false", "not_measured": told}
    return {
        "is_measured": "true",
        "not_measured": "",
        "failure_prob": float(told.failure),
        "n_certain_after": told.n_certain,
        "posterior_prob_after": float(told.right),
        "n_moved": told.n_moved,
    }


def _risks(found: Decisions, nodes: Sequence[int]) -> RiskRows:
    return found.counted.risks(np.array(nodes))


def _failed(found: Decisions, answer: int) -> list[int]:
    """Return the coarsest nodes that are finer than the answer and lose no more."""
    # Each would be the answer if it held: of equal loss the lowest levels come first.
    nodes = np.zeros(found.lattice.shape, dtype=np.bool_)
    nodes.flat[answer] = True
    nodes = finer(nodes) & (found.loss <= found.loss.flat[answer])
    nodes.flat[answer] = False
    return np.flatnonzero(maximal(nodes)).tolist()


def _projected(found: Decisions, node: int) -> list[int]:
    """Return a node with each set of QIDs that may be known, all others left out."""
    levels = np.unravel_index(node, found.lattice.shape)
    numbers = []
    for known in found.known:
        flags = np.zeros(known.meets_bounds.shape, dtype=np.bool_)
        flags[tuple(levels[q] for q in known.places)] = True
        numbers.append(int(found.numbers(known, flags)[0]))
    return numbers


def _by_qids(found: Decisions, analysis: Search, nodes: Sequence[int]) -> bool:
    """Whether some node breaks a bound whatever the sensitive values are."""
    # Whoever is alone is certain and guessed right, one of each block is guessed right,
    # and no block has more values than records.
    counted, target, n = _risks(found, nodes), analysis.target, found.n_records
    of_alone = min(target.most(name, n) for name in ("alone", "certain"))
    of_blocks = min(target.most(name, n) for name in ("reidentified", "inferred"))
    return bool(
        (counted.smallest < max(target.k or 1, target.l or 1)).any()
        or (counted.n_alone > of_alone).any()
        or (counted.n_blocks > of_blocks).any()
    )


def _unmeasured(analysis: Search) -> str:
    """Return why nothing can be measured of a search, as the table has it, if so."""
    if len(analysis.known) > 1:
        return "some_qids"
    if analysis.target.own_record is not None:
        return "own_record"
    of_loss = {name for table in analysis.tables for name in table}
    if isinstance(analysis.loss, Loss) and of_loss & {*analysis.sensitive}:
        return "loss"
    return ""


def _bounds(target: ProtectionTarget, n: int) -> Bounds:
    certain = target.most("certain", n) if target.certain else None
    right = target.most("inferred", n) if target.inferred else None
    return Bounds(target.l or 1, certain, right)


def _weighed(
    found: Decisions, analysis: Search, node: int, answer: int
) -> list[GivenAway | str]:
    """Return what is known of each attribute, or why it is not measured."""
    # A node fails if it does by any of them. So where one of them nearly never holds,
    # the others tell nothing either; and else something is known of an attribute if all
    # others always hold.
    n_attributes = len(analysis.sensitive)
    if reason := _unmeasured(analysis):
        return [reason] * n_attributes
    if _risks(found, [node]).n_blocks[0] > MOST_BLOCKS:
        return ["size"] * n_attributes
    bounds, places = _bounds(analysis.target, found.n_records), range(n_attributes)
    kinds = [blocks_of(found.lattice, node, answer, s) for s in places]
    every: list[GivenAway | str] = []
    for each in kinds:
        try:
            every.append(given_away(each, bounds))
        except TooMuchError:
            every.append("size")
    chances = [each if isinstance(each, str) else each.failure for each in every]
    if 1 in chances:
        return [before(each) for each in kinds]
    if n_attributes - chances.count(Fraction(0)) == 1:
        pairs = zip(every, chances, strict=True)
        return ["attributes" if chance == 0 else each for each, chance in pairs]
    return ["size" if "size" in chances else "attributes"] * n_attributes


def blocks_of(
    lattice: Lattice, node: int, answer: int, sensitive: int
) -> Counter[AnswerBlock]:
    """Return the answer's blocks of each kind, with their parts at a node."""
    sets = lattice.sets(np.array([node, answer])).tolist()
    told = [bit for bit in range(len(lattice.records.qids)) if sets[0] >> bit & 1]
    of_value = len(lattice.records.qids) + sensitive
    codes, n_each = _distinct(lattice, [*told, of_value])
    part, n_parts = _grouped(codes[:-1])
    kept = [c for c, bit in zip(codes, told, strict=False) if sets[1] >> bit & 1]
    block, _ = _grouped(kept or [np.zeros(len(n_each), dtype=np.int64)])
    value, n_values = _grouped([block, codes[-1]])
    parts = _descending(
        block[first_places(part, n_parts)], kind_sums(part, n_each, n_parts)
    )
    counts = _descending(
        block[first_places(value, n_values)], kind_sums(value, n_each, n_values)
    )
    return Counter(map(AnswerBlock, parts, counts))


def _distinct(
    lattice: Lattice, attributes: Sequence[int]
) -> tuple[list[Codes], Integers]:
    """Return the rows of some attributes that differ, and how many records have each.

    Rows are joined chunk by chunk, so that no more are held than differ.
    """
    codes: list[Codes] = []
    n_each = np.zeros(0, dtype=np.int64)
    for chunk in range(lattice.records.n_chunks):
        read = lattice.records.chunk(chunk, attributes)
        whole = read
        if codes:
            whole = [np.concatenate(pair) for pair in zip(codes, read, strict=True)]
        n_whole = np.append(n_each, np.ones(len(read[0]), dtype=np.int64))
        row, n_rows = _grouped(whole)
        first, n_each = first_places(row, n_rows), kind_sums(row, n_whole, n_rows)
        codes = [each[first].astype(np.int32) for each in whole]
    return codes, n_each


def _grouped(codes: Sequence[Codes]) -> tuple[Integers, int]:
    """Return the number of each row's group, and how many groups there are."""
    group, n_each = blocks_and_sizes(codes)
    return group, len(n_each)


def _descending(block: Integers, n_each: Integers) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of each block, all of which have some."""
    order = np.lexsort((-n_each, block))
    starts = np.flatnonzero(np.diff(block[order])) + 1
    for each in np.split(n_each[order], starts):
        yield tuple(each.tolist())
