"""What downloads of any kind share: attempts that go on where the last one ended."""

import json
import re
import shutil
import time
import urllib.parse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from microleak.base.errors import ArchiveError, StudyError
from microleak.base.files import is_locked
from microleak.sources.files.inspection import BOM
from microleak.sources.files.member import printable

# Waits between attempts that brought no new byte, in seconds; then it gives up
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
RESERVE_BYTES = 64 << 20  # Of a disk, never filled by a download
_MOST_JSON_BYTES = 1 << 20
AttemptResult = TypeVar("AttemptResult")


class BrokenError(Exception):
    """An attempt ended early; another may go on from there."""


def persist(
    attempt: Callable[[], AttemptResult],
    n_bytes: Callable[[], int],
    url: str,
    kept: str,
) -> AttemptResult:
    """Attempt until it succeeds, or several in a row bring no byte."""
    # `kept` ends what is then said.
    pauses = list(PAUSES_S)
    n_most = n_bytes()
    while True:
        try:
            return attempt()
        except BrokenError as broken:
            if n_bytes() > n_most:
                pauses, n_most = list(PAUSES_S), n_bytes()
            elif not pauses:
                raise ArchiveError(
                    f"{shown(url)} could not be fetched: {broken}. Try again later, "
                    f"{kept}."
                ) from None
            else:
                time.sleep(pauses.pop(0))


def lock(file: BinaryIO, part: Path) -> None:
    """Keep a second download, or one that was orphaned, out of the same part."""
    if not is_locked(file):
        raise ArchiveError(
            f"{part.name} is being written by another download. Wait for it or end it."
        )


def check_room(folder: Path, n_bytes: int) -> None:
    n_free = shutil.disk_usage(folder).free
    if n_free < n_bytes + RESERVE_BYTES:
        raise ArchiveError(
            f"{n_bytes} bytes are to come, and {n_free} are free, of which "
            f"{RESERVE_BYTES} stay so. Make room on the disk of the results, and run "
            "again."
        )


def write(file: BinaryIO, data: bytes, name: str) -> None:
    """Write at once, so that a full disk is not taken for a broken connection."""
    try:
        check_room(Path(file.name).parent, len(data))
        file.write(data)
        file.flush()
    except OSError as error:
        raise ArchiveError(
            f"{name} cannot be written ({error.strerror}). Make room on the disk of "
            "the results, and run again."
        ) from None


def other_kind(path: Path) -> str | None:
    with path.open("rb") as file:
        head = file.read(_MOST_JSON_BYTES + 1)
    text = head.removeprefix(BOM).lstrip().lower()
    if not head:
        return "empty"
    if text.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    if re.match(rb"<[a-z?!]", text):
        return "XML"
    if len(head) <= _MOST_JSON_BYTES and text.startswith((b"{", b"[")):
        with suppress(ValueError, RecursionError):
            json.loads(text)
            return "JSON"
    return None


_LOGIN = re.compile(r"(?<=://)[^/?#\[]*(?:@|:(?![0-9]*(?:[/?#]|$)).*@)", re.DOTALL)
"""User and password of an address, also where a mark in them ends the host."""


def refuse_login(url: str) -> None:
    if _LOGIN.search(url):
        raise StudyError(
            f"url {shown(url)} has a user or a password, and none is sent. "
            "Remove them from url in the study file, or fetch the file by hand and set "
            "archive to it."
        )


def shown(url: str) -> str:
    """Address without user, password and query, which may be secrets."""
    try:
        parts = urllib.parse.urlsplit(_LOGIN.sub("", url))
    except ValueError:
        return f"{printable(url.partition('://')[0])}://…"
    path = re.sub(".*@", "/…", parts.path)
    return printable(f"{parts.scheme}://{parts.hostname or ''}{path}")
