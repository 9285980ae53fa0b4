"""Which nodes are counted, and told, whatever is found of them."""

import numpy as np

from microleak.attacks.smallest_protection.definitions.nodes import Flags

ALL_TOLD = 2_000
"""Nodes up to which the table has all of them."""

EVERY = 30_000
"""Nodes up to which each is counted, so that the frontier is whole."""

EVERY_OF_FEW, FEW_RECORDS = 200_000, 100_000
"""The same of a release of so few records."""


def is_every_counted(n_nodes: int, n_records: int) -> bool:
    """Return whether all of so many nodes are counted, in a minute of a processor."""
    return n_nodes <= EVERY or (n_nodes <= EVERY_OF_FEW and n_records <= FEW_RECORDS)


def always_told(shape: tuple[int, ...]) -> Flags:
    """Return the nodes that are told whatever is found: of few nodes all.

    Of more the release and single changes.
    """
    found = np.full(shape, np.prod(shape) <= ALL_TOLD)
    for axis in range(len(shape)):
        found[tuple(slice(None) if q == axis else 0 for q in range(len(shape)))] = True
    return found
