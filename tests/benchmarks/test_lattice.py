"""All nodes of a lattice by the walk, and some of them by group-by."""

from collections import Counter

import polars as pl
import pytest

from benchmarks import lattice
from benchmarks.lattice import WIDTHS, counts_of, nodes_of


@pytest.mark.parametrize("kind", WIDTHS)
def test_the_lattice_has_the_size_that_the_target_names(kind):
    assert len(nodes_of(kind)) == 25_920


@pytest.mark.parametrize("step", [997, 2311])
@pytest.mark.parametrize("kind", WIDTHS)
def test_a_group_by_counts_a_node_as_the_definition_does(tmp_path, kind, step):
    records = tmp_path / "records.parquet"
    lattice.write_records(kind, 300, records)
    rows = pl.read_parquet(records).rows(named=True)
    for node in nodes_of(kind)[::step]:
        levels = dict(zip(WIDTHS[kind], node, strict=True))
        blocks = {}
        for row in rows:
            kept = ((q, n) for q, n in levels.items() if n <= len(WIDTHS[kind][q]))
            key = tuple(row[q] // (1, *WIDTHS[kind][q])[n] for q, n in kept)
            blocks.setdefault(key, Counter())[row["s"]] += 1
        modal = [max(block.values()) for block in blocks.values()]
        sizes = [block.total() for block in blocks.values()]
        assert counts_of(pl.scan_parquet(records), kind, node) == {
            "n_blocks": len(blocks),
            "smallest": min(sizes),
            "alone": sizes.count(1),
            "modal": sum(modal),
            "certain": sum(n for n, m in zip(sizes, modal, strict=True) if n == m),
        }
