"""What is measured in a process of its own: databases, counts, links and lattices."""

from collections import Counter
from itertools import product

import pandas as pd
import polars as pl
import pytest

from benchmarks import lattice, mechanism, reconstruction
from benchmarks.lattice import WIDTHS, counts_of, nodes_of
from benchmarks.linkage import links, n_in_both
from benchmarks.linked_releases import IDENTIFIER, OVERLAP, write_releases
from benchmarks.peers import plain_reconstruction
from benchmarks.process import Limits, measured
from microleak.attacks.mechanism.section import MODELS
from microleak.base.errors import MicroleakError
from microleak.definitions.epsilon import Epsilon


@pytest.mark.long
def test_a_task_and_its_peer_are_measured():
    task = reconstruction.Task("exponential", 6, "all", "1", "0.01")
    found = reconstruction.taken(task)
    assert (found["n_queries"], found["n_exact"], len(found["seconds"])) == (64, 3, 3)
    assert found["peer"]["status"] == "finished"
    assert found["peer"]["is_exact"]


@pytest.mark.parametrize(
    ("attack", "queries"), [("linear", "400"), ("exponential", "all")]
)
@pytest.mark.parametrize("error", ["0", "1", "3"])
def test_the_peer_rebuilds_what_the_attack_rebuilds(attack, queries, error):
    given = {"attack": attack, "n": 10, "queries": queries, "error": error}
    ours = reconstruction.rebuild(given, 1)
    peer = plain_reconstruction.rebuild(attack, 10, queries, error, 1)
    assert peer["is_exact"] == bool(ours["n_exact"])


def test_a_count_is_measured_on_all_records_and_on_samples():
    task = mechanism.Task("local", 4, "0.5", n_records=500, n_sampled=50)
    found = mechanism.taken(task)
    assert found["status"] == "finished"
    assert found["first_s"] > 0
    assert found["further_s"] > 0


def test_every_model_is_measured_with_a_fraction_and_a_decimal():
    tasks = mechanism.TASKS
    found = {(task.model, Epsilon.parse(task.epsilon).is_exact) for task in tasks}
    assert found == {*product(MODELS, (True, False))}


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    return write_releases(4_000, tmp_path_factory.mktemp("links"))


def test_both_releases_have_as_many_persons_and_who_stays_keeps_the_birth(releases):
    focal, auxiliary = map(pd.read_parquet, releases)
    both = focal.merge(auxiliary, on=IDENTIFIER)
    assert len(focal) == 4_000
    assert focal[IDENTIFIER].is_monotonic_increasing
    assert auxiliary[IDENTIFIER].is_monotonic_increasing
    assert (both["birth_x"].astype(str) == both["birth_y"].astype(str)).all()
    assert len(both) == n_in_both(*releases)
    assert len(both) == pytest.approx(OVERLAP * len(focal), rel=0.05)


def test_links_are_mostly_right(releases):
    found = links(*map(str, releases), n_threads=1, memory_gib=8.0)
    assert found["n_right"] > 0.9 * found["n_links"]


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


CALL = "benchmarks.sample:stratified"
LARGE = {"n_qids": 24, "n_subsets": 1, "seed": 1}


def test_a_call_gives_its_answer_and_what_it_took():
    given = {"n_qids": 3, "n_subsets": 7, "seed": 1}
    outcome = measured(CALL, given, Limits(1, 4, 60))
    assert outcome.status == "finished"
    assert outcome.answer == [1, 2, 4, 3, 5, 6, 7]
    assert outcome.peak_mib > 5
    assert outcome.wall_s > 0


@pytest.mark.parametrize(
    ("call", "given", "limits", "limit"),
    [
        ("numpy:ones", {"shape": 2**28}, Limits(1, 0.1, 60), "memory"),
        (CALL, LARGE, Limits(1, 8, 0.3), "time"),
    ],
)
def test_a_process_above_a_limit_has_no_figures(call, given, limits, limit):
    outcome = measured(call, given, limits)
    assert (outcome.status, outcome.answer) == (limit, None)


def test_a_process_that_fails_stops_the_benchmark(capfd):
    with pytest.raises(MicroleakError, match="stratified ended with status 1"):
        measured(CALL, {}, Limits(1, 4, 60))
    assert "missing 3 required" in capfd.readouterr().err
