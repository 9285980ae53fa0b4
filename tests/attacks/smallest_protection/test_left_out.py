"""What the others of a block tell, against blocks taken one after another."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from microleak.attacks.smallest_protection.kernels.left_out import (
    ALONE_MODAL,
    ALONE_OTHER,
    BY_CHOICES,
    left_out,
)
from microleak.kernels.kinds import choices_of
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.walk import Work
from tests.examples import seeds


def plainly(qids, sensitive, n_values, subset):
    """Counts of one set of QIDs, block by block."""
    blocks = defaultdict(list)
    for i, value in enumerate(sensitive.tolist()):
        key = tuple(int(q[i]) for at, q in enumerate(qids) if subset >> at & 1)
        blocks[key].append(value)
    counts = np.zeros(BY_CHOICES + 1 + n_values, dtype=np.int64)
    modal = int(np.bincount(sensitive, minlength=n_values).argmax())
    for block in blocks.values():
        if len(block) == 1:
            counts[ALONE_MODAL if block[0] == modal else ALONE_OTHER] += 1
        else:
            by_value = [*Counter(block).values()]
            counts[BY_CHOICES + choices_of(by_value)] += max(by_value)
    return counts.tolist()


@pytest.mark.parametrize("rows_a_bucket", [7, 10**6])
@pytest.mark.parametrize("seed", seeds(40))
def test_counts_are_those_of_every_block(seed, rows_a_bucket):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    n_values = int(rng.choice([1, 2, 3, 40]))
    sizes = rng.integers(1, 9, int(rng.integers(1, 5)))
    qids = [rng.integers(0, size, n) for size in sizes]
    sensitive = [
        np.minimum(rng.geometric(0.4, n) - 1, n_values - 1),
        rng.integers(0, 3, n),
    ]
    if seed % 4 == 0:  # large blocks of one row
        n = 3_000
        one = np.zeros(n, dtype=np.int64)
        qids, sensitive = [one for _ in qids], [one, one]
    attributes = [AttributeCodes(q, int(q.max()) + 1) for q in qids]
    given = [AttributeCodes(sensitive[0], n_values), AttributeCodes(sensitive[1], 3)]
    records = in_memory(attributes, given)
    wanted = np.arange(1 << len(qids))
    work = Work(rows_a_bucket=rows_a_bucket)
    for s, values in enumerate(given):
        found = left_out(records, s, wanted, work)
        for subset, counts in zip(wanted.tolist(), found, strict=True):
            expected = plainly(qids, sensitive[s], values.n_values, subset)
            assert counts.tolist() == expected
