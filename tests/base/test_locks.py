"""One run at a time in a folder, and none beside jobs of another."""

from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.base.locks import RUN, at_work, is_running, no_jobs, only_run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_second_run_is_refused_by_the_name_of_the_first_study():
    with (
        only_run("one"),
        pytest.raises(StudyError, match="The study one is running in this folder"),
        only_run("two"),
    ):
        pass


def test_whether_a_study_runs_is_seen_from_its_results_and_its_lock():
    results = Path("results/one")
    assert not is_running(results)
    with only_run("other"):
        pass
    with only_run("one"):
        assert is_running(results)
        assert not is_running(Path("results/two"))
        assert not is_running(Path("/"))
    assert not is_running(results)


def test_jobs_work_side_by_side_and_keep_a_run_from_tidying_up():
    with (
        at_work(),
        at_work(),
        pytest.raises(StudyError, match="are still at work in this folder, on another"),
        no_jobs(),
    ):
        pass
    with no_jobs():
        pass


def test_a_job_that_comes_late_does_not_begin_while_another_run_tidies_up():
    with no_jobs(), pytest.raises(StudyError, match="was stopped"), at_work():
        pass


def test_what_a_link_in_the_place_of_a_lock_leads_to_is_not_emptied(folder, tmp_path):
    (tmp_path / "mine").write_text("mine")
    RUN.parent.mkdir()
    RUN.symlink_to(tmp_path / "mine")
    with pytest.raises(StudyError, match=r"run\.lock is a link"), only_run("one"):
        pass
    assert (tmp_path / "mine").read_text() == "mine"
