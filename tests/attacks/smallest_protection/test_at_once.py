"""Risks that are counted for many sets at once, against blocks one after another."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from microleak.attacks.smallest_protection.kernels import cubes, short_blocks
from microleak.attacks.smallest_protection.kernels.chains import chains_of
from microleak.attacks.smallest_protection.kernels.risks import risks
from microleak.attacks.smallest_protection.kernels.short_blocks import (
    MOST_RECORDS,
    MOST_ROWS,
)
from microleak.kernels.keys import BitField
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.walk import Work
from tests import naive
from tests.examples import long, seeds


def plainly(qids, sensitive, subset):
    """Numbers of one set of QIDs, block by block."""
    chosen = [q.tolist() for at, q in enumerate(qids) if subset >> at & 1]
    keys = [*zip(*chosen, strict=True)] or [()] * len(sensitive[0])
    blocks = naive.blocks(keys).values()
    sizes = [*map(len, blocks)]
    found = [len(blocks), min(sizes), sizes.count(1)]
    for values in (each.tolist() for each in sensitive):
        counts = [Counter(values[i] for i in block) for block in blocks]
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
    each = zip(
        found.n_certain[i].tolist(),
        found.n_modal[i].tolist(),
        found.least_distinct[i].tolist(),
        map(Fraction, found.best[i].tolist(), found.best_of[i].tolist()),
        strict=True,
    )
    counts = (found.n_blocks[i], found.smallest[i], found.n_alone[i])
    return [*map(int, counts), *each]


def made(seed):
    """Some records, of which many, few or one are alike in all."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, MOST_ROWS, MOST_ROWS + 1, 150, 600]))
    qids = [rng.integers(0, size, n) for size in rng.integers(1, 6, 4)]
    qids.append(np.minimum(rng.geometric(0.2, n), 20))
    sensitive = [rng.integers(0, size, n) for size in (1, 4, 90)[: 1 + seed % 3]]
    if seed % 4 == 0:  # rows that stand for many records
        times = [1, 1, 2, 30, MOST_RECORDS, MOST_RECORDS + 1, 2 * MOST_RECORDS]
        times = rng.choice(times, n)[:40]
        rows = np.repeat(np.arange(len(times)), times)
        qids, sensitive = ([each[rows] for each in of] for of in (qids, sensitive))
    return qids, sensitive


def check(qids, sensitive, wanted):
    records = in_memory(*map(attributes_of, (qids, sensitive)))
    found = risks(records, wanted, Work())
    expected = [plainly(qids, sensitive, subset) for subset in wanted.tolist()]
    assert [numbers_of(found, i) for i in range(len(wanted))] == expected


@pytest.mark.parametrize("seed", seeds(40))
def test_numbers_are_those_of_every_block(monkeypatch, seed):
    qids, sensitive = made(seed)
    rng = np.random.default_rng(seed)
    wanted = np.arange(1 << len(qids))
    if seed % 2:  # sets that others begin with may be missing
        wanted = np.sort(rng.choice(wanted, 9, replace=False))
    monkeypatch.setattr(short_blocks, "ROWS_A_SET", 0)
    counted = []
    of_short = short_blocks.short_of
    monkeypatch.setattr(
        "microleak.attacks.smallest_protection.kernels.risks.short_of",
        lambda *given: counted.append(len(given[0])) or of_short(*given),
    )
    check(qids, sensitive, wanted)
    assert counted or len(sensitive[0]) <= 2 or seed % 4 == 0


def attributes_of(columns):
    return [AttributeCodes(column, int(column.max()) + 1) for column in columns]


def counted_densely(monkeypatch):
    """What is told of each dense block from now on: how many records it has."""
    found = []
    count = cubes.count_dense

    def spied(numbers, fields, table, chains):
        is_counted = count(numbers, fields, table, chains)
        sizes = np.add.reduceat(table.weights, table.starts[:-1])
        found.extend(sizes[is_counted].tolist())
        return is_counted

    monkeypatch.setattr(
        "microleak.attacks.smallest_protection.kernels.risks.count_dense", spied
    )
    return found


@pytest.mark.parametrize("seed", seeds(12))
def test_dense_blocks_have_the_numbers_of_every_block(monkeypatch, seed):
    """Of hierarchies, whose finer levels are never without coarser ones."""
    dense = counted_densely(monkeypatch)
    rng = np.random.default_rng(seed)
    n = int(rng.choice([400, 1500, 6000]))
    widths = [(3, 2, 3), (2, 4), (5,)]
    qids = [rng.integers(0, size, n) for chain in widths for size in chain]
    if seed % 2:  # labels that join labels of different numbers
        qids[1] = np.where(qids[0] == 0, 0, qids[1])
        qids[4] = np.minimum(rng.geometric(0.5, n) - 1, 7)
    sensitive = [rng.integers(0, size, n) for size in (1, 4, 90)[: 1 + seed % 3]]
    if seed % 3:  # blocks of one value
        sensitive[-1] = qids[0] * 2 + (qids[3] > 0) * sensitive[-1] % 2
    wanted = masks(widths)
    if seed % 4 == 0:  # not all nodes
        wanted = np.sort(rng.choice(wanted, len(wanted) - 7, replace=False))
    check(qids, sensitive, wanted)
    assert dense


@pytest.mark.parametrize("n_records", [2200, *long(1200, 1500, 4000, 150_000)])
def test_a_dense_block_may_have_more_records_than_a_byte_counts(monkeypatch, n_records):
    """From some level on, or on all."""
    dense = counted_densely(monkeypatch)
    rng = np.random.default_rng(n_records)
    widths = [(3, 2, 2), (7,)]
    qids = [rng.integers(0, n, n_records) for chain in widths for n in chain]
    sensitive = [np.minimum(rng.geometric(0.3, n_records), 6)]
    check(qids, sensitive, masks(widths))
    assert max(dense) > n_records // 8


def masks(widths):
    """The sets of all nodes, which have the first attributes of each chain, sorted."""
    found, first = [0], 0
    for chain in widths:
        sizes = range(len(chain) + 1)
        found = [mask | ((1 << n) - 1) << first for mask in found for n in sizes]
        first += len(chain)
    return np.sort(found)


def test_blocks_with_more_cells_than_rows_are_not_dense(monkeypatch):
    dense = counted_densely(monkeypatch)
    rng = np.random.default_rng(1)
    qids = [rng.integers(0, 1000, 300) for _ in range(3)]
    records = in_memory(*map(attributes_of, (qids, [rng.integers(0, 2, 300)])))
    found = risks(records, np.arange(8), Work())
    assert found.n_blocks.tolist() == [
        len({*zip(*each, strict=True)}) for each in sets_of(qids)
    ]
    assert not dense


def sets_of(qids):
    """Columns of each set of QIDs, in the order of their masks."""
    for subset in range(1 << len(qids)):
        chosen = [q for at, q in enumerate(qids) if subset >> at & 1]
        yield [each.tolist() for each in chosen] or [[0]]


def test_chains_have_what_no_set_is_without(sets, expected):
    fields = [BitField(q, 2 * q, 0b11 << 2 * q) for q in range(3)]
    chains = chains_of(fields, np.array(sets))
    found = []
    if chains is not None:
        ends = pairwise(chains.first.tolist())
        found = [(chains.shifts[a:b] // 2).tolist() for a, b in ends]
    assert found == expected
