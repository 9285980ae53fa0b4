"""Databases rebuilt by microleak, and by a peer as one would write it."""

import pytest

from benchmarks.peers import plain_reconstruction
from benchmarks.reconstruction import Task, rebuild, taken


def test_a_task_and_its_peer_are_measured():
    found = taken(Task("exponential", 6, "all", "1", "0.01"))
    assert (found["n_queries"], found["n_exact"], len(found["seconds"])) == (64, 3, 3)
    assert found["peer"]["status"] == "finished"
    assert found["peer"]["is_exact"]


@pytest.mark.parametrize(
    ("attack", "queries"), [("linear", "400"), ("exponential", "all")]
)
@pytest.mark.parametrize("error", ["0", "1", "3"])
def test_the_peer_rebuilds_what_the_attack_rebuilds(attack, queries, error):
    ours = rebuild({"attack": attack, "n": 10, "queries": queries, "error": error}, 1)
    peer = plain_reconstruction.rebuild(attack, 10, queries, error, 1)
    assert peer["is_exact"] == bool(ours["n_exact"])
