"""The chapter on reconstruction: measured, written, and kept in its place."""

import json

import pytest

from benchmarks import reconstruction
from benchmarks.peers import plain_reconstruction
from benchmarks.process import Outcome
from benchmarks.reconstruction import rebuild, run
from benchmarks.reconstruction_page import CHAPTER, Task

TASKS = (
    Task("exponential", 6, "all", "1", "0.01"),
    Task("hadamard", 9, "n", "0"),
)
PAGE = "# Performance\n\n## Small\n\nmuch\n\n## Method\n\n- how\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the page of other benchmarks; calls run in this process."""

    def measured(call, arguments, limits):
        ours = call == "benchmarks.reconstruction:rebuild"
        called = rebuild if ours else plain_reconstruction.rebuild
        answer = called(**json.loads(json.dumps(arguments)))
        return Outcome("finished", 1.0, 1.0, 300, answer)

    monkeypatch.setattr(reconstruction, "measured", measured)
    (tmp_path / "performance-tables.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def written(folder):
    return (folder / "performance-tables.md").read_text(encoding="utf-8")


def test_the_chapter_stands_before_the_method_with_a_row_a_task(folder):
    run(TASKS, folder)
    chapters = [line for line in written(folder).splitlines() if line.startswith("## ")]
    assert [title.split(":")[0] for title in chapters] == [
        *("## Small", "## Reconstruction", "## Method"),
    ]
    rows = [line for line in written(folder).splitlines() if line.startswith("| ")][1:]
    assert rows[0].startswith("| exponential | 6 | 64 | `1` | 0.01 s |")
    assert rows[1].startswith("| hadamard | 9 | 16 | `0` |  |")
    assert all("3 of 3" in row for row in rows)
    assert ["×" in row for row in rows] == [True, False]


def test_a_chapter_written_again_replaces_the_first(folder):
    run(TASKS, folder)
    before = written(folder)
    assert CHAPTER.put(before, folder) == before
    run(TASKS[:1], folder)
    assert written(folder).count("## Reconstruction") == 1
    assert "hadamard" not in written(folder)


def test_a_page_without_results_has_no_chapter(tmp_path):
    assert CHAPTER.put(PAGE, tmp_path) == PAGE


def test_a_task_that_met_a_limit_says_so(folder, monkeypatch):
    stopped = Outcome("time", 9.0, 0.0, 200)
    monkeypatch.setattr(reconstruction, "measured", lambda *_: stopped)
    run(TASKS[:1], folder)
    assert "did not finish (time)" in written(folder)


def test_a_peer_that_met_the_limit_took_more_than_its_time(folder, monkeypatch):
    def measured(call, arguments, limits):
        if "peers" in call:
            return Outcome("time", 600.0, 0.0, 200)
        answer = {"n_queries": 64, "seconds": [2.0, 3.0, 1.0], "n_exact": 3}
        return Outcome("finished", 9.0, 9.0, 300, answer)

    monkeypatch.setattr(reconstruction, "measured", measured)
    run(TASKS[:1], folder)
    assert "| more than 10 min 0 s (time) | 2.00 s | > 300× |" in written(folder)


@pytest.mark.parametrize(
    ("attack", "queries"), [("linear", "400"), ("exponential", "all")]
)
@pytest.mark.parametrize("error", ["0", "1", "3"])
def test_the_peer_rebuilds_what_the_attack_rebuilds(attack, queries, error):
    ours = rebuild({"attack": attack, "n": 10, "queries": queries, "error": error}, 1)
    peer = plain_reconstruction.rebuild(attack, 10, queries, error, 1)
    assert peer["is_exact"] == bool(ours["n_exact"])
