"""Of how many who have a rarer sensitive value it is certain, at some nodes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.lattice import Lattice
from microleak.base.progress import progress
from microleak.kernels.walk import walk_subsets
from microleak.records.memory import Memory


def exposed(
    lattice: Lattice, nodes: NDArray[np.int64], memory: Memory
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each node with what is known of each value but the most frequent.

    A value is certain of those in whose block everybody has it.
    """
    if not lattice.rarer:
        return
    sets, records = lattice.sets(nodes), lattice.marked
    n_walked = records.n_records * len(np.unique(sets))
    with progress("counting values", n_walked) as advance:
        found = dict(
            walk_subsets(records, sets.tolist(), memory.work(records, advance))
        )
    for node, of_node in zip(nodes.tolist(), sets.tolist(), strict=True):
        for place, value in enumerate(lattice.rarer):
            blocks = found[of_node].of(place, 0)
            is_certain = blocks.modal_count == blocks.block_size
            members = blocks.modal_count * blocks.n_blocks
            yield (
                node,
                {
                    "sensitive": value.attribute,
                    "value": value.text,
                    "is_missing": str(value.text is None).lower(),
                    "n_members": int(members.sum()),
                    "n_certain": int(members[is_certain].sum()),
                },
            )
