"""Work side by side in forks."""

import os
import signal

import pytest

from microleak.base.errors import MicroleakError
from microleak.base.forks import side_by_side


@pytest.fixture
def forked(monkeypatch):
    monkeypatch.setattr("threading.active_count", lambda: 1)


def numbered(name):
    for number in range(3):
        yield name, number, os.getpid()


def failing(do):
    yield 1
    do()


@pytest.mark.usefixtures("forked")
def test_what_each_task_yields_comes_together_and_of_another_process():
    together = [*side_by_side(numbered, "ab")]
    named = [[(name, number) for name, number, _ in each] for each in together]
    assert named == [[("a", number), ("b", number)] for number in range(3)]
    processes = {tuple(process for *_, process in each) for each in together}
    (own, other), *_ = processes
    assert len(processes) == 1
    assert own == os.getpid() != other


def test_beside_other_threads_nothing_is_forked(monkeypatch):
    monkeypatch.setattr("threading.active_count", lambda: 2)
    together = side_by_side(numbered, "ab")
    assert {each[2] for pair in together for each in pair} == {os.getpid()}


@pytest.mark.usefixtures("forked")
def test_an_error_of_a_fork_is_raised_here():
    def refuse():
        raise MicroleakError("There is no such place.")

    with pytest.raises(MicroleakError, match=r"There is no such place\."):
        list(side_by_side(failing, [int, refuse]))


@pytest.mark.usefixtures("forked")
def test_a_fork_that_is_killed_is_said_to_be():
    def kill():
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(MicroleakError, match="A process was ended from outside"):
        list(side_by_side(failing, [int, kill]))
