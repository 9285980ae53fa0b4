"""Compiles what a walk needs, so that it is there when a first study walks.

Numba compiles a kernel when it is first called, and keeps it beside its module.
"""

import numpy as np

from microleak.kernels.records import Attribute, in_memory
from microleak.kernels.walk import Work, walk


def main() -> None:
    """Walk over a few random records, in several buckets."""
    draw = np.random.default_rng(0)

    def attribute(n_values: int, *, is_marked: bool = False) -> Attribute:
        codes = draw.integers(n_values, size=4000, dtype=np.uint32)
        return Attribute(codes, n_values, is_marked)

    records = in_memory(
        [attribute(n_values) for n_values in (20, 9, 4)],
        [attribute(3), attribute(2, is_marked=True)],
    )
    for _ in walk(records, range(8), Work(rows_a_bucket=500)):
        pass


if __name__ == "__main__":
    main()
