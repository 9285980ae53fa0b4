"""What a job says: that it failed, and before that how far it is."""

import json
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from microleak.base.errors import TableError
from microleak.base.files import write_text
from microleak.base.progress import progress, tell_user
from microleak.run import workflow
from microleak.run.job import job
from microleak.run.watching import TOLD, watcher
from microleak.run.workflow import is_full
from microleak.study.steps import code_of


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Path("results/people/logs/job.log")


def given(log):
    return SimpleNamespace(log=[str(log)], params={"code": code_of("audit")})


def failed(log, error):
    with pytest.raises(SystemExit) as end, job(given(log)):
        raise error
    assert end.value.code == 1
    return log.read_text(encoding="utf-8")


def test_what_a_user_can_put_right_is_the_log_and_the_last_word(log, capsys):
    assert failed(log, TableError("line 2 is short.")) == "line 2 is short.\n"
    assert capsys.readouterr().err == "microleak: line 2 is short.\n"


def test_a_job_that_succeeds_has_no_log(log):
    write_text(log, "of an earlier run\n")
    with job(given(log)):
        assert not log.exists()
    assert not log.exists()


def test_the_message_of_an_unexpected_error_is_nowhere(log, capsys):
    with pytest.raises(SystemExit), job(given(log)):
        try:
            pa.array(["secret"]).cast(pa.int64())
        except pa.ArrowInvalid as error:
            assert "secret" in str(error)
            raise
    said = log.read_text(encoding="utf-8")
    assert "(ArrowInvalid; its message is not shown" in said
    assert "report it with this line" in said
    assert said.count("\n") == 1
    printed = capsys.readouterr()
    assert "secret" not in said + printed.err + printed.out


def test_an_unexpected_error_is_placed_in_the_code_that_raised_it(log):
    with pytest.raises(SystemExit), job(given(log)):
        write_text(log.parent, ["secret"])
    assert log.read_text("utf-8").startswith("microleak.base.files:")


def test_an_error_of_the_system_is_named(log):
    said = failed(log, OSError(28, "secret", "secret"))
    assert "OSError: No space left on device" in said
    assert "Make room on the disk: bytes (df), or inodes for files (df -i)" in said
    assert "secret" not in said


def test_an_interrupted_job_ends_without_a_word(log, capsys):
    with pytest.raises(SystemExit) as ended, job(given(log)):
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert capsys.readouterr().err == ""
    assert not log.exists()


@pytest.fixture
def hurried(monkeypatch):
    """Let a minute pass whenever a display asks for the time."""
    minutes = iter(range(0, 6000, 60))
    shown = partial(watcher, clock=lambda: next(minutes))
    monkeypatch.setattr("microleak.run.job.watcher", shown)


def test_a_job_says_its_progress_under_its_title(log, hurried, capsys, name, title):
    with job(given(log.parent / name)), progress("reading", 2) as advance:
        advance(1)
    said = f"microleak: {title}, reading: 50 %\n"
    assert capsys.readouterr().err == said


def test_a_log_that_cannot_be_written_does_not_show_what_a_job_met(log, capsys):
    log.parents[1].mkdir(parents=True)
    with pytest.raises(SystemExit) as ended, job(given(log)):
        log.parent.touch()
        raise ValueError("a cell")
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "stopped at something unexpected (ValueError" in said
    assert said.count("\n") == 1
    assert "a cell" not in said


def test_after_a_job_nothing_is_said_of_progress(log, hurried, capsys):
    failed(log, TableError("line 2 is short."))
    with progress("reading", 2) as advance:
        advance(1)
    assert capsys.readouterr().err == "microleak: line 2 is short.\n"


def test_what_a_job_tells_is_one_line_on_stderr_and_in_no_log(log, capsys):
    with job(given(log)):
        tell_user("name is an identifier")
    assert capsys.readouterr().err == "microleak: name is an identifier\n"
    assert not log.exists()


@pytest.fixture
def told(tmp_path, monkeypatch):
    """What a job tells the display of its run."""
    path = tmp_path / "told"
    path.touch()
    monkeypatch.setenv(TOLD, str(path))
    return lambda: [json.loads(line) for line in path.read_text().splitlines()]


def test_of_a_run_with_a_display_a_job_tells_it_alone(log, hurried, told, capsys):
    with job(given(log)), progress("reading", 2) as advance:
        tell_user("name is an identifier")
        advance(1)
    assert told() == [
        {"about": "said", "said": "microleak: name is an identifier"},
        {
            "about": "part",
            "job": str(log),
            "part": "reading",
            "state": [1, 2, 60, [1, 60]],
        },
        {"about": "part", "job": str(log), "part": "", "state": None},
    ]
    assert capsys.readouterr().err == ""


def test_a_display_hears_why_a_job_failed_and_the_log_keeps_it(log, told, capsys):
    assert failed(log, TableError("line 2 is short.")) == "line 2 is short.\n"
    assert told() == [{"about": "fault", "said": "line 2 is short."}]
    assert capsys.readouterr().err == ""


def test_a_job_without_display_says_why_it_failed(log, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(TOLD, str(tmp_path / "gone"))
    failed(log, TableError("line 2 is short."))
    assert capsys.readouterr().err == "microleak: line 2 is short.\n"
    assert not (tmp_path / "gone").exists()


def test_a_module_that_is_not_there_is_named_and_no_fault_of_microleak(log):
    try:
        import_module("not_installed_anywhere")
    except ModuleNotFoundError as error:
        said = failed(log, error)
    assert "there is no module not_installed_anywhere" in said
    assert "Install it" in said
    assert "fault" not in said


@pytest.mark.parametrize(
    ("free", "inodes", "is_without_room"),
    [
        (0, (9, 9), True),
        (15, (9, 9), True),
        (16, (9, 9), False),
        (99, (9, 0), True),
        (99, (0, 0), False),  # a file system that counts none
    ],
)
def test_a_full_disk_is_known(tmp_path, monkeypatch, free, inodes, is_without_room):
    found = SimpleNamespace(
        f_bavail=free, f_frsize=4096, f_files=inodes[0], f_favail=inodes[1]
    )
    monkeypatch.setattr("os.statvfs", lambda folder: found)
    assert is_full(tmp_path) == is_without_room


def test_that_the_disk_is_full_is_the_last_word_of_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr(workflow, "is_full", lambda folder: True)
    said = []
    shown = SimpleNamespace(
        faults=list, say=said.append, progress=SimpleNamespace(has_news=True)
    )
    workflow.say_how_it_ended(tmp_path, 1, Path("people.yaml"), shown)
    (line,) = said
    assert "is full. Free space on it" in line
    assert line.endswith("microleak resume people.yaml")
