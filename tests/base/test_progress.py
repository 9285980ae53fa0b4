from contextlib import contextmanager

import pytest

from microleak.base.progress import progress, watched_by


@pytest.fixture
def told():
    return []


@pytest.fixture
def watch(told):
    """A watcher that notes what it is told, and whether each step ended."""

    @contextmanager
    def watched(step, total):
        told.append((step, total))
        yield told.append
        told.append("end")

    return watched


def test_by_default_nothing_is_shown(capfd):
    with progress("reading", 2) as advance:
        advance(2)
    assert capfd.readouterr() == ("", "")


def test_a_watcher_is_told_of_each_step_and_its_advances(watch, told):
    with watched_by(watch):
        with progress("reading", 3) as advance:
            advance(1)
            advance(2)
        with progress("writing", None) as advance:
            advance(5)
    assert told == [("reading", 3), 1, 2, "end", ("writing", None), 5, "end"]


def test_a_watcher_sees_nothing_that_begins_after_its_end(watch, told):
    with pytest.raises(KeyError), watched_by(watch):
        raise KeyError
    with progress("reading", 1) as advance:
        advance(1)
    assert told == []
