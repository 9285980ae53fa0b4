"""The chapter on reconstruction: measured, written, and kept in its place."""

import json

import pytest

from benchmarks import reconstruction
from benchmarks.process import Outcome
from benchmarks.reconstruction import Task, rebuild, run, with_chapter

TASKS = (
    Task("exponential", 6, "all", "1", "0.01"),
    Task("hadamard", 9, "n", "0"),
)
PAGE = "# Performance\n\n## Small\n\nmuch\n\n## Method\n\n- how\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the page of other benchmarks; calls run in this process."""

    def measured(call, arguments, limits):
        answer = rebuild(**json.loads(json.dumps(arguments)))
        return Outcome("finished", 1.0, 1.0, 300, answer)

    monkeypatch.setattr(reconstruction, "measured", measured)
    (tmp_path / "performance.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def written(folder):
    return (folder / "performance.md").read_text(encoding="utf-8")


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


def test_a_chapter_written_again_replaces_the_first(folder):
    run(TASKS, folder)
    before = written(folder)
    assert with_chapter(before, folder) == before
    run(TASKS[:1], folder)
    assert written(folder).count("## Reconstruction") == 1
    assert "hadamard" not in written(folder)


def test_a_page_without_results_has_no_chapter(tmp_path):
    assert with_chapter(PAGE, tmp_path) == PAGE


def test_a_task_that_met_a_limit_says_so(folder, monkeypatch):
    stopped = Outcome("time", 9.0, 0.0, 200)
    monkeypatch.setattr(reconstruction, "measured", lambda *_: stopped)
    run(TASKS[:1], folder)
    assert "did not finish (time)" in written(folder)
