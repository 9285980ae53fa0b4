"""Downloads that are whole, resumed where they broke, and checked by hash."""

import email.message
import http.client
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, BinaryIO

from microleak.base.errors import ArchiveError, StudyError
from microleak.base.files import sha256_of, whole_file, write_text
from microleak.base.progress import progress
from microleak.sources.fetch.attempts import (
    BrokenError,
    check_room,
    lock,
    other_kind,
    persist,
    refuse_login,
    shown,
    write,
)
from microleak.sources.files.member import printable

_TIMEOUT_S = 60.0
_BLOCK_BYTES = 1 << 20
_BY_HAND = "Fetch it by hand and set archive to the file, instead of url"
_GZIP = frozenset({"gzip", "x-gzip"})
# Of a file whose length is not announced, as of a member of an archive
_MOST_BYTES = 400 << 30
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


def download(url: str, path: Path, sha256: str | None, is_counted: bool = False) -> str:
    """Fetch a released file, which appears at `path` whole and checked or not at all.

    What has arrived lies in `path` + ".part" and is resumed by the next attempt
    or call, unless the server has another file by then, cannot resume or does not
    say by what one version of the file is told from another. Certificates are
    always verified.
    """
    _check_url(url)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("ab") as file:
        lock(file, part)
        arriving = _Arriving(url, part, file, is_counted or sha256 is not None)
        arriving.fill()
        found = arriving.checked(sha256)
        with whole_file(path) as aside:
            part.replace(aside)
        _note_path(part).unlink(missing_ok=True)
    return found


def _check_url(url: str) -> None:
    if url.partition("://")[0].lower() not in {"http", "https"}:
        raise StudyError(
            f"url {shown(url)} must begin with https:// or http://; for a file on "
            "this machine set archive instead."
        )
    if not (url.isascii() and url.isprintable()) or " " in url:
        raise StudyError(
            f"url {shown(url)} may hold printable ASCII characters only. Write any "
            "other in the study file as browsers copy it, a blank as %20."
        )
    if not _has_host(url):
        raise StudyError(
            f"url {shown(url)} is not an address. Correct url in the study file."
        )
    refuse_login(url)


def _has_host(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        (parts.hostname or "").encode("idna")
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


@dataclass(frozen=True)
class _Note:
    """What tells one version of the file on the server from another."""

    etag: str | None = None
    modified: str | None = None
    n_bytes: int | None = None

    @property
    def validator(self) -> str | None:
        """What a server is asked to resume the same version by; never a weak tag."""
        is_strong = self.etag is not None and not self.etag.startswith("W/")
        return self.etag if is_strong else self.modified


class _NoDowngrade(urllib.request.HTTPRedirectHandler):
    """Follows redirections, but never from https to anything else."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if req.type == "https" and not newurl.startswith("https://"):
            raise ArchiveError(
                f"{shown(req.full_url)} leads to an address without https. {_BY_HAND}."
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(frozen=True)
class _Arriving:
    """A file on its way into its part; without a length only if it is vouched for."""

    url: str
    part: Path
    file: BinaryIO
    is_vouched: bool

    def fill(self) -> None:
        """Attempt until the part is complete, or no attempt brings a byte any more."""
        kept = f"the part is kept. {_BY_HAND}"
        persist(self._attempt, self.file.tell, self.url, kept)

    def checked(self, sha256: str | None) -> str:
        """SHA-256 of the part, which is deleted if it is not the released file."""
        if what := other_kind(self.part):
            raise self._no_release(what)
        found = sha256_of(self.part)
        if sha256 is not None and found != sha256.lower():
            raise self._useless(
                f"has SHA-256 {found}, expected {sha256.lower()}: the file was "
                "changed, or sha256 in the study file is another file's."
            )
        return found

    def _attempt(self) -> None:
        note = _read_note(self.part)
        n_have = self.file.seek(0, 2)
        if note and n_have == note.n_bytes:
            return
        if not (note and note.validator):
            n_have = self.file.truncate(0)
        try:
            with _opened(self.url, n_have, note) as response:
                self._receive(response, n_have)
        except urllib.error.HTTPError as error:
            self._explain_status(error)
        except urllib.error.URLError as error:
            _explain_reason(self.url, error)
        except ValueError:
            raise ArchiveError(
                f"{shown(self.url)} leads to an address that cannot be. {_BY_HAND}."
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise BrokenError(
                f"the connection broke ({type(error).__name__})"
            ) from None

    def _receive(self, response: Any, n_have: int) -> None:
        """Append to the part, or start it anew if the response does not go on there."""
        note = _offered(response)
        self._check_offer(response, note)
        if response.status == 206:
            if _start(response.headers) != n_have or note != _read_note(self.part):
                _note_path(self.part).unlink(missing_ok=True)
                raise BrokenError("the server's file changed on the way")
        else:
            self.file.truncate(0)
            write_text(_note_path(self.part), json.dumps(asdict(note), sort_keys=True))
        self.file.seek(0, 2)
        try:
            self._append(response, note.n_bytes)
        except ArchiveError:
            if note.n_bytes is None:  # Perhaps it has no end.
                self._delete()
            raise

    def _append(self, response: Any, n_all: int | None) -> None:
        n_left = None if n_all is None else n_all - self.file.tell()
        check_room(self.part.parent, n_left or 0)
        with progress("fetching", n_left) as advance:
            while data := response.read(_BLOCK_BYTES):
                self._check_end(self.file.tell() + len(data), n_all)
                write(self.file, data, self.part.name)
                advance(len(data))
        if n_all is not None and self.file.tell() != n_all:
            raise BrokenError(f"{self.file.tell()} of {n_all} bytes came")

    def _check_offer(self, response: Any, note: _Note) -> None:
        """Refuse what is no released file, or would not be seen to be cut."""
        headers = response.headers
        if headers.get_content_type() == "text/html":
            raise self._no_release("a web page")
        packing = headers.get("Content-Encoding", "identity").lower()
        is_file = urllib.parse.urlsplit(self.url).path.lower().endswith(".gz")
        if packing != "identity" and not (is_file and packing in _GZIP):
            raise self._useless(
                f": the server packs the file ({printable(packing)}), although it was "
                f"asked not to. {_BY_HAND}."
            )
        if note.n_bytes is None and not (self.is_vouched or response.chunked):
            raise self._useless(
                ": the server does not say how long the file is, so one that is cut "
                "could not be told. Give sha256 or n_rows of the release in the study "
                f"file. {_BY_HAND}."
            )

    def _check_end(self, n_bytes: int, n_expected: int | None) -> None:
        if n_expected is not None and n_bytes > n_expected:
            raise self._useless(
                f": more than the {n_expected} bytes announced came. {_BY_HAND}."
            )
        if n_bytes > _MOST_BYTES:
            raise self._useless(
                f": more than {_MOST_BYTES} bytes came, and no end. {_BY_HAND}."
            )

    def _no_release(self, what: str) -> ArchiveError:
        return self._useless(
            f"is {what}, not a released file, and was removed. Try again later, or "
            f"correct url in the study file. {_BY_HAND}."
        )

    def _useless(self, said: str) -> ArchiveError:
        """Delete what came, of which nothing can be used, and say why."""
        self._delete()
        gap = "" if said.startswith(":") else " "
        return ArchiveError(f"{shown(self.url)}{gap}{said}")

    def _delete(self) -> None:
        self.part.unlink(missing_ok=True)
        _note_path(self.part).unlink(missing_ok=True)

    def _explain_status(self, error: urllib.error.HTTPError) -> None:
        if error.code == 416:
            _note_path(self.part).unlink(missing_ok=True)
        if error.code == 416 or error.code in _PASSING:
            raise BrokenError(f"the server answered {error.code}") from None
        raise ArchiveError(
            f"{shown(self.url)}: the server answered {error.code}. Correct url in the "
            f"study file. {_BY_HAND}."
        ) from None


def _opened(url: str, n_have: int, note: _Note | None) -> Any:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
    if n_have and note and note.validator:
        request.add_header("Range", f"bytes={n_have}-")
        request.add_header("If-Range", note.validator)
    opener = urllib.request.build_opener(
        _NoDowngrade, urllib.request.HTTPSHandler(context=_verifying_context())
    )
    return opener.open(request, timeout=_TIMEOUT_S)


# It verifies certificates; reading those of the system takes long.
_verifying_context = cache(ssl.create_default_context)


def _offered(response: Any) -> _Note:
    headers = response.headers
    # In chunks a length does not count, and may be another.
    total = None if response.chunked else headers.get("Content-Length")
    if response.status == 206:
        total = headers.get("Content-Range", "").rpartition("/")[2]
    n_bytes = int(total) if total and total.isdecimal() else None
    return _Note(headers.get("ETag"), headers.get("Last-Modified"), n_bytes)


def _start(headers: email.message.Message) -> int | None:
    first = headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(first) if first.isdecimal() else None


def _explain_reason(url: str, error: urllib.error.URLError) -> None:
    if isinstance(error.reason, ssl.SSLCertVerificationError):
        raise ArchiveError(
            f"{shown(url)}: the server's certificate is not valid, and verification "
            f"is never switched off. {_BY_HAND}."
        ) from None
    raise BrokenError(f"no connection ({type(error.reason).__name__})") from None


def _note_path(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _read_note(part: Path) -> _Note | None:
    """Say what a part is of; None if there is no note, or none that can be read."""
    try:
        note = _Note(**json.loads(_note_path(part).read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    given = zip(vars(note).values(), (str, str, int), strict=True)
    is_sound = all(value is None or isinstance(value, kind) for value, kind in given)
    return note if is_sound else None
