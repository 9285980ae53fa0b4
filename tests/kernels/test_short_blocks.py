"""Risks that are counted of short blocks at once, against blocks one after another."""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest

from microleak.kernels import short_blocks
from microleak.kernels.records import Attribute, in_memory
from microleak.kernels.risks import SIZES, risks
from microleak.kernels.short_blocks import MOST_ROWS
from microleak.kernels.walk import Work


def plainly(qids, sensitive, subset):
    """Numbers of one set of QIDs, block by block."""
    blocks = defaultdict(list)
    for i in range(len(sensitive[0])):
        key = tuple(int(q[i]) for at, q in enumerate(qids) if subset >> at & 1)
        blocks[key].append([int(values[i]) for values in sensitive])
    sizes = Counter(map(len, blocks.values()))
    found = [len(blocks), min(sizes), [sizes[size] for size in range(SIZES)]]
    for s in range(len(sensitive)):
        counts = [Counter(row[s] for row in block) for block in blocks.values()]
        found.append(
            (
                sum(c.total() for c in counts if len(c) == 1),
                sum(max(c.values()) for c in counts),
                min(map(len, counts)),
                max(Fraction(max(c.values()), c.total()) for c in counts),
            )
        )
    return found


def numbers_of(found, i):
    """The same of what was counted."""
    each = zip(
        found.n_certain[i].tolist(),
        found.n_modal[i].tolist(),
        found.least_distinct[i].tolist(),
        map(Fraction, found.best[i].tolist(), found.best_of[i].tolist()),
        strict=True,
    )
    counts = int(found.n_blocks[i]), int(found.smallest[i]), found.by_size[i].tolist()
    return [*counts, *each]


def made(seed):
    """Some records, of which many, few or one are alike in all."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, MOST_ROWS, MOST_ROWS + 1, 150, 600]))
    qids = [rng.integers(0, size, n) for size in rng.integers(1, 6, 4)]
    qids.append(np.minimum(rng.geometric(0.2, n), 20))
    sensitive = [rng.integers(0, size, n) for size in (1, 4, 90)[: 1 + seed % 3]]
    if seed % 4 == 0:  # rows that stand for many records, SIZES and more
        times = rng.choice([1, 1, 2, 30, SIZES - 1, SIZES, 2 * SIZES], n)[:40]
        rows = np.repeat(np.arange(len(times)), times)
        qids, sensitive = ([each[rows] for each in of] for of in (qids, sensitive))
    return qids, sensitive


@pytest.mark.parametrize("seed", range(40))
def test_numbers_are_those_of_every_block(monkeypatch, seed):
    qids, sensitive = made(seed)
    records = in_memory(*map(attributes_of, (qids, sensitive)))
    rng = np.random.default_rng(seed)
    wanted = np.arange(1 << len(qids))
    if seed % 2:  # sets that others begin with may be missing
        wanted = np.sort(rng.choice(wanted, 9, replace=False))
    monkeypatch.setattr(short_blocks, "ROWS_A_SET", 0)
    counted = []
    of_short = short_blocks.short_of
    monkeypatch.setattr(
        "microleak.kernels.tree.short_of",
        lambda *given: counted.append(len(given[0])) or of_short(*given),
    )
    found = risks(records, wanted, Work())
    expected = [plainly(qids, sensitive, subset) for subset in wanted.tolist()]
    assert [numbers_of(found, i) for i in range(len(wanted))] == expected
    assert counted or len(sensitive[0]) <= 2 or seed % 4 == 0


def attributes_of(columns):
    """Columns with the values that they may have."""
    return [Attribute(column, int(column.max()) + 1) for column in columns]


def test_few_blocks_are_not_counted_at_once(monkeypatch):
    """Where it takes longer than to go on."""
    monkeypatch.setattr("microleak.kernels.tree.short_of", None)
    qids = [np.arange(5) % 2, np.arange(5) % 3]
    records = in_memory(*map(attributes_of, (qids, [np.zeros(5, dtype=np.int64)])))
    assert risks(records, np.arange(4), Work()).n_blocks.tolist() == [1, 2, 3, 5]
