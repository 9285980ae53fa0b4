"""One conversation with an FTP server: a list, or the bytes of a file.

The login is anonymous. What another attempt may mend is a `BrokenError`.
"""

import ftplib
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from microleak.base.errors import ArchiveError, StudyError
from microleak.base.progress import Advance
from microleak.sources.fetch.attempts import BrokenError, refuse_login, shown, write

_LINE = re.compile(
    r"(?P<date>\d\d-\d\d-(?:\d\d)?\d\d) +(?P<time>\d\d:\d\d(?:[AP]M)?) +"
    r"(?P<size><DIR>|\d+) +(?P<name>.+)",
    re.ASCII,
)


@dataclass(frozen=True)
class ListedFile:
    """A file in a list: its bytes, and when it was written, as the list says it."""

    n_bytes: int
    written: str


def files_listed(lines: Iterable[str], where: str) -> dict[str, ListedFile]:
    """Files of a list by name, without its folders."""
    files: dict[str, ListedFile] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.rstrip("\r\n"))
        if found is None or found["name"] in files:
            raise ArchiveError(
                f"{where}: line {number} of the server's list is not as MS-DOS lists a "
                "file: date, time, bytes and name, each name once. Fetch the files by "
                "hand and set archive to their folder, instead of url."
            )
        if found["size"] != "<DIR>":
            written = f"{found['date']} {found['time']}"
            files[found["name"]] = ListedFile(int(found["size"]), written)
    return files


BY_HAND = "Fetch the files by hand and set archive to their folder, instead of url"

_TIMEOUT_S = 60.0
_BLOCK_BYTES = 1 << 16
_MOST_LIST_BYTES = 16 << 20
_NOT_KNOWN = re.compile("50[0-4]")  # Answers to a command that a server does not have


@dataclass(frozen=True)
class Directory:
    """A directory of a server."""

    url: str
    host: str
    port: int
    path: str


def directory(url: str) -> Directory:
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname or "", parts.port or ftplib.FTP_PORT
        host.encode("idna")
    except ValueError:
        host = ""
    path = urllib.parse.unquote(parts.path, "latin-1") if host else ""
    if not host or not f"{url}{path}".isprintable() or parts.scheme != "ftp":
        raise StudyError(
            f"url {shown(url)} is not an address as ftp://HOST/FOLDER/. Correct url in "
            "the study file."
        )
    refuse_login(url)
    if parts.query or parts.fragment:
        raise StudyError(
            f"url {shown(url)} may have neither ? nor #. Correct url in the study file."
        )
    return Directory(url, host, port, path or "/")


def listed(place: Directory) -> dict[str, ListedFile]:
    lines, n_bytes = list[str](), 0

    def take(line: str) -> None:
        nonlocal n_bytes
        n_bytes += len(line)
        if n_bytes > _MOST_LIST_BYTES:
            raise ArchiveError(
                f"{shown(place.url)}: the server's list has more than "
                f"{_MOST_LIST_BYTES} bytes. Correct url in the study file. {BY_HAND}."
            )
        lines.append(line)

    with _session(place) as server, _asked(place, "the list of the directory"):
        server.retrlines("LIST", take)
    return files_listed(lines, shown(place.url))


def receive(
    place: Directory, name: str, entry: ListedFile, file: BinaryIO, advance: Advance
) -> None:
    """Append to a file what of it the server has beyond the file's end."""
    # Of more bytes than the list says, only the first are taken.
    with _session(place) as server, _asked(place, name):
        server.voidcmd("TYPE I")
        _check_size(server, place, name, entry)
        n_have = file.seek(0, 2)
        try:
            connection = server.transfercmd(f"RETR {name}", n_have or None)
        except ftplib.error_perm as error:
            if n_have and _NOT_KNOWN.match(str(error)):
                file.truncate(0)
                raise BrokenError("the server cannot resume") from None
            raise
        with connection:
            while data := connection.recv(_BLOCK_BYTES):
                write(file, data, name)
                advance(len(data))
                if file.tell() > entry.n_bytes:
                    return
        if file.tell() < entry.n_bytes:
            raise BrokenError(f"{file.tell()} of {entry.n_bytes} bytes of {name} came")
        server.voidresp()


def _check_size(
    server: ftplib.FTP, place: Directory, name: str, entry: ListedFile
) -> None:
    """Refuse a file that is not as long as listed; not every server tells."""
    try:
        n_bytes = server.size(name)
    except ftplib.error_perm:
        return
    if n_bytes is not None and n_bytes != entry.n_bytes:
        raise ArchiveError(
            f"{shown(place.url)}: {name} has {n_bytes} bytes and {entry.n_bytes} in "
            "the list: it is being changed on the server. Try again later."
        )


@contextmanager
def _session(place: Directory) -> Iterator[ftplib.FTP]:
    server = ftplib.FTP(timeout=_TIMEOUT_S, encoding="latin-1")
    try:
        server.connect(place.host, place.port)
        with _asked(place, "the anonymous login"):
            server.login()
        with _asked(place, "the directory"):
            server.cwd(place.path)
        yield server
    except ftplib.all_errors as error:
        raise BrokenError(f"the connection broke ({type(error).__name__})") from None
    finally:
        server.close()


@contextmanager
def _asked(place: Directory, what: str) -> Iterator[None]:
    """Name what the server refused for good; its own words are not shown."""
    try:
        yield
    except ftplib.error_perm as error:
        raise ArchiveError(
            f"{shown(place.url)}: the server refused {what} (answer {str(error)[:3]}). "
            f"Correct url in the study file. {BY_HAND}."
        ) from None
