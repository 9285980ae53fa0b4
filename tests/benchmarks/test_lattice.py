"""All nodes of a lattice by the walk, and some of them by group-by."""

from collections import Counter
from itertools import product

import polars as pl
import pytest

from benchmarks import lattice
from benchmarks.lattice import CHAPTER, N_NODES, OURS, PEER, WIDTHS, counts_of


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    path = tmp_path_factory.mktemp("lattice") / "records.parquet"
    lattice.write_records(300, path)
    return path


def test_the_lattice_has_the_size_that_the_target_names():
    assert N_NODES == 25_920


@pytest.mark.parametrize("step", [997, 2311])
def test_a_group_by_counts_a_node_as_the_definition_does(records, step):
    rows = pl.read_parquet(records).rows(named=True)
    nodes = [*product(*(range(len(widths) + 2) for widths in WIDTHS.values()))]
    for node in nodes[::step]:
        levels = dict(zip(WIDTHS, node, strict=True))
        blocks = {}
        for row in rows:
            kept = ((q, n) for q, n in levels.items() if n <= len(WIDTHS[q]))
            key = tuple(row[q] // (1, *WIDTHS[q])[n] for q, n in kept)
            blocks.setdefault(key, Counter())[row["s"]] += 1
        modal = [max(block.values()) for block in blocks.values()]
        sizes = [block.total() for block in blocks.values()]
        assert counts_of(pl.scan_parquet(records), node) == {
            "n_blocks": len(blocks),
            "smallest": min(sizes),
            "alone": sizes.count(1),
            "modal": sum(modal),
            "certain": sum(n for n, m in zip(sizes, modal, strict=True) if n == m),
        }


def test_the_chapter_says_how_many_times_as_long_all_group_bys_take():
    times = {"wall_s": 12.0, "cpu_s": 20.0, "peak_mib": 900, "n_records": 1000}
    ours = {"program": OURS, "n_nodes": N_NODES, **times}
    peer = {"program": PEER, "n_nodes": 60, **times}
    assert "432 times as long" in CHAPTER.text([ours, peer])
