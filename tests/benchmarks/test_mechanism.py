"""The chapter on noisy counts: measured, written, and kept in its place."""

import json

import pytest

from benchmarks import mechanism
from benchmarks.mechanism import TASKS, count, run
from benchmarks.mechanism_page import CHAPTER, Task
from benchmarks.process import Outcome
from microleak.attacks.mechanism.section import MODELS
from microleak.definitions.epsilon import Epsilon

FEW = (
    Task("local", 4, "0.5", n_records=500, n_sampled=50),
    Task("oblivious", 3, "ln 3", n_records=90, n_sampled=9),
)
PAGE = "# Performance\n\n## Small\n\nmuch\n\n## Method\n\n- how\n"
BOTH = PAGE.replace(
    "## Method",
    "## Reconstruction: databases rebuilt from noisy counts\n\nold\n\n## Method",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the page of other benchmarks; calls run in this process."""

    def measured(call, arguments, limits):
        assert call == "benchmarks.mechanism:count"
        answer = count(**json.loads(json.dumps(arguments)))
        return Outcome("finished", 1.0, 1.0, 300, answer)

    monkeypatch.setattr(mechanism, "measured", measured)
    (tmp_path / "performance.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def written(folder):
    return (folder / "performance.md").read_text(encoding="utf-8")


def chapters(page):
    lines = page.splitlines()
    return [line.split(":")[0] for line in lines if line.startswith("## ")]


def test_the_chapter_has_a_row_a_task_and_stands_before_the_method(folder):
    run(FEW, folder)
    assert chapters(written(folder)) == ["## Small", "## Noisy counts", "## Method"]
    rows = [line for line in written(folder).splitlines() if line.startswith("| ")][1:]
    assert rows[0].startswith("| local | 500 | 6 | 4 | `0.5` | ")
    assert rows[1].startswith("| oblivious | 90 | 6 | 3 | `ln 3` | ")
    assert all(row.endswith(" s | 300 MiB |") for row in rows)


def test_a_chapter_written_again_replaces_the_first_and_no_other(folder):
    (folder / "performance.md").write_text(BOTH, encoding="utf-8")
    run(FEW, folder)
    before = written(folder)
    assert chapters(before)[1:3] == ["## Noisy counts", "## Reconstruction"]
    assert CHAPTER.put(before, folder) == before
    run(FEW[:1], folder)
    assert chapters(written(folder)) == chapters(before)
    assert "oblivious" not in written(folder)


def test_a_page_without_results_has_no_chapter(tmp_path):
    assert CHAPTER.put(PAGE, tmp_path) == PAGE


def test_a_task_that_met_a_limit_says_so(folder, monkeypatch):
    stopped = Outcome("memory", 9.0, 0.0, 200)
    monkeypatch.setattr(mechanism, "measured", lambda *_: stopped)
    run(FEW[:1], folder)
    assert "did not finish (memory)" in written(folder)


def test_every_model_is_measured_with_a_fraction_and_a_decimal():
    found = {(task.model, Epsilon.parse(task.epsilon).is_exact) for task in TASKS}
    assert found == {
        (model, is_exact) for model in MODELS for is_exact in (True, False)
    }
