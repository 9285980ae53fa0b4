"""Blocks of entities that have several rows: equal multisets of rows (Google)."""

import numpy as np

from microleak.definitions.exact import run_starts
from microleak.definitions.partition import BlockIds
from microleak.definitions.profile import Counts
from microleak.kernels.records import Codes


def entity_blocks(entity: Codes, block: BlockIds) -> BlockIds:
    """Return the block of each entity: entities with the same multiset of rows.

    An entity's QID value is the multiset of its rows' blocks. How often a block
    occurs counts, the order of the rows does not. Multisets are compared, not
    hashed, so that only equal ones are one block.

    Parameters
    ----------
    entity
        Code of each row's entity, shape (n_rows,). Each row has one: rows without
        an identifier are nobody's and must be set aside.
    block
        Block of each row by the QIDs, same rows in the same order. Together fewer
        than 2**63 pairs of an entity and a block.

    Returns
    -------
    BlockIds
        Shape (n_entities,), in the order of the codes that occur; numbered from 0.
        Time O(n log n), whatever the number of rows of an entity.

    Notes
    -----
    Rows sorted, each entity is a list of numbers. Neighbours within it are joined
    to pairs, the pairs numbered, so that equal ones have the same number, until
    each entity is one number. All lists are halved at once: the n-th number of
    each stands for as many rows as that of another, or for the last of them.

    Examples
    --------
    Google's users 01 to 04 have the codes 42000; 17000 and 42000; 17000 and twice
    42000; 42000 and 17000.

    >>> user = np.array([1, 2, 2, 3, 3, 3, 4, 4])
    >>> code = np.array([1, 0, 1, 0, 1, 1, 1, 0])
    >>> entity_blocks(user, code)
    array([2, 0, 1, 0])
    """
    owner, number = _sorted_rows(entity, block)
    first = run_starts(owner)
    while len(first) < len(owner):
        owner, number = _halved(owner, number, first)
        first = run_starts(owner)
    return _numbered(number)


def _sorted_rows(entity: Codes, block: BlockIds) -> tuple[Counts, Counts]:
    """Return entity and block of each row, sorted by both."""
    n_blocks = int(block.max(initial=0)) + 1
    both = entity.astype(np.int64) * n_blocks + block
    both.sort()
    return both // n_blocks, both % n_blocks


def _halved(owner: Counts, number: Counts, first: Counts) -> tuple[Counts, Counts]:
    """Return owner and number of each pair of neighbours, the last maybe single."""
    lengths = np.diff(first, append=len(owner))
    place = np.arange(len(owner)) - np.repeat(first, lengths)
    left = np.flatnonzero(place % 2 == 0)
    is_single = np.append(owner, -1)[left + 1] != owner[left]
    # 0 stands for no right neighbour, so numbers of right neighbours begin at 1.
    right = np.where(is_single, 0, np.append(number, 0)[left + 1] + 1)
    return owner[left], _numbered(number[left] * (int(number.max()) + 2) + right)


def _numbered(values: Counts) -> Counts:
    return np.unique(values, return_inverse=True)[1].reshape(-1)
