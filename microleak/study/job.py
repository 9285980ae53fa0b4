"""The edge between a job and whoever runs it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from microleak.errors import MicroleakError


@contextmanager
def job(log: str) -> Iterator[None]:
    """Say in one line, in the log and on stderr, what a user can put right.

    The log of a job that succeeds is removed: what is in a log went wrong.
    """
    path = Path(log)
    path.unlink(missing_ok=True)
    try:
        yield
    except MicroleakError as error:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{error}\n", encoding="utf-8")
        print(f"microleak: {error}", file=sys.stderr)
        raise SystemExit(1) from None
