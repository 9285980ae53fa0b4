"""What downloads of any kind share: attempts that go on where the last one ended."""

import fcntl
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from microleak.errors import ArchiveError
from microleak.sources.member import printable

PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Waits between attempts that brought no new byte, in seconds; then it gives up."""

Result = TypeVar("Result")


class BrokenError(Exception):
    """An attempt ended early; another may go on from there."""


def persist(attempt: Callable[[], Result], n_bytes: Callable[[], int]) -> Result:
    """Attempt until it succeeds, or several in a row bring no byte.

    Parameters
    ----------
    attempt
        Raises `BrokenError` if another attempt may succeed.
    n_bytes
        Tells how much has arrived.

    Raises
    ------
    BrokenError
        The last one.
    """
    pauses = list(PAUSES_S)
    n_most = n_bytes()
    while True:
        try:
            return attempt()
        except BrokenError:
            if n_bytes() > n_most:
                pauses, n_most = list(PAUSES_S), n_bytes()
            elif not pauses:
                raise
            else:
                time.sleep(pauses.pop(0))


def lock(file: BinaryIO, part: Path) -> None:
    """Keep a second download, or one that was orphaned, out of the same part.

    Raises
    ------
    ArchiveError
        If another one has it.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ArchiveError(
            f"{part.name} is being written by another download. Wait for it or end it."
        ) from None


def is_page(path: Path) -> bool:
    """Whether a file is a web page, as servers and proxies give in place of it."""
    with path.open("rb") as file:
        head = file.read(512).lstrip().lower()
    return head.startswith((b"<!doctype html", b"<html"))


def shown(url: str) -> str:
    """Address without user, password and query, which may be secrets.

    >>> shown("https://ana:word@a.br/x.zip?key=word")
    'https://a.br/x.zip'
    """
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        return f"{printable(url.partition('://')[0])}://…"
    return printable(f"{parts.scheme}://{parts.hostname or ''}{parts.path}")
