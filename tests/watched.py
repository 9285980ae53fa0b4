"""Steps that tests watch."""

from contextlib import contextmanager, nullcontext

from microleak.base.progress import watched_by


@contextmanager
def steps_watched():
    """Give a list of the steps that begin within: name, total and advances."""
    steps = []

    def watcher(step, total):
        advances = []
        steps.append((step, total, advances))
        return nullcontext(advances.append)

    with watched_by(watcher):
        yield steps
