import pytest

from microleak.base.progress import progress, watched_by


class Watch:
    """A watcher that notes what it is told, and whether each step ended."""

    def __init__(self):
        self.told = []

    def __call__(self, step, total):
        self.told.append((step, total))
        return self

    def __enter__(self):
        return self.told.append

    def __exit__(self, *_):
        self.told.append("end")


def test_by_default_nothing_is_shown(capfd):
    with progress("reading", 2) as advance:
        advance(2)
    assert capfd.readouterr() == ("", "")


def test_a_watcher_is_told_of_each_step_and_its_advances():
    watch = Watch()
    with watched_by(watch):
        with progress("reading", 3) as advance:
            advance(1)
            advance(2)
        with progress("writing", None) as advance:
            advance(5)
    assert watch.told == [("reading", 3), 1, 2, "end", ("writing", None), 5, "end"]


def test_a_watcher_sees_nothing_that_begins_after_its_end():
    watch = Watch()
    with pytest.raises(KeyError), watched_by(watch):
        raise KeyError
    with progress("reading", 1) as advance:
        advance(1)
    assert watch.told == []
