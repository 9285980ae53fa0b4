"""Downloads that are whole, resumed where they broke, and checked by hash."""

import email.message
import http.client
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from microleak.errors import ArchiveError, StudyError
from microleak.files import sha256_of, whole, write_text
from microleak.progress import progress
from microleak.sources.attempts import BrokenError, is_page, lock, persist, shown

_TIMEOUT_S = 60.0
_BLOCK_BYTES = 1 << 20
_BY_HAND = "Fetch it by hand and set archive to the file, instead of url"
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


def download(url: str, path: Path, sha256: str | None) -> None:
    """Fetch a released file, which appears at `path` whole and checked or not at all.

    What has arrived lies in `path` + ".part" and is resumed by the next attempt
    or call, unless the server has another file by then or cannot resume.
    Certificates are always verified.

    Parameters
    ----------
    url
        Address beginning with https:// or http://.
    path
        Where the file goes.
    sha256
        Its SHA-256, 64 hexadecimal digits, or None if it is not known.

    Raises
    ------
    StudyError
        If the address is of another kind, or none.
    ArchiveError
        If the file cannot be fetched, is a web page, or has another hash; then
        the part is deleted.
    """
    _check_url(url)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("ab") as file:
        lock(file, part)
        _fill(url, part, file)
        _check(url, part, sha256)
        with whole(path) as aside:
            part.replace(aside)
        _note_path(part).unlink(missing_ok=True)


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


def _has_host(url: str) -> bool:
    """Whether the address can be split, and names a host and a port that can be."""
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
        """Follow a redirection, but never from https to anything else."""
        if req.type == "https" and not newurl.startswith("https://"):
            raise ArchiveError(
                f"{shown(req.full_url)} leads to an address without https. {_BY_HAND}."
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fill(url: str, part: Path, file: BinaryIO) -> None:
    """Attempt until the part is complete, or no attempt brings a byte any more."""
    try:
        persist(lambda: _attempt(url, part, file), file.tell)
    except BrokenError as broken:
        raise ArchiveError(
            f"{shown(url)} could not be fetched: {broken}. Try again later, the part "
            f"is kept. {_BY_HAND}."
        ) from None


def _attempt(url: str, part: Path, file: BinaryIO) -> None:
    note = _read_note(part)
    n_have = file.seek(0, 2)
    if note is None:
        n_have = file.truncate(0)
    elif n_have == note.n_bytes:
        return
    try:
        with _opened(url, n_have, note) as response:
            _receive(url, response, part, file, n_have)
    except urllib.error.HTTPError as error:
        _explain_status(url, part, error)
    except urllib.error.URLError as error:
        _explain_reason(url, error)
    except ValueError:
        raise ArchiveError(
            f"{shown(url)} leads to an address that cannot be. {_BY_HAND}."
        ) from None
    except (OSError, http.client.HTTPException) as error:
        raise BrokenError(f"the connection broke ({type(error).__name__})") from None


def _opened(url: str, n_have: int, note: _Note | None) -> Any:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
    if n_have and note:
        request.add_header("Range", f"bytes={n_have}-")
        if validator := note.etag or note.modified:
            request.add_header("If-Range", validator)
    opener = urllib.request.build_opener(
        _NoDowngrade,
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
    )
    return opener.open(request, timeout=_TIMEOUT_S)


def _receive(url: str, response: Any, part: Path, file: BinaryIO, n_have: int) -> None:
    """Append the response to the part, or start it anew if it does not go on there."""
    note = _offered(response)
    if response.status == 206:
        if _start(response.headers) != n_have or note != _read_note(part):
            _note_path(part).unlink(missing_ok=True)
            raise BrokenError("the server's file changed on the way")
    else:
        file.truncate(0)
        write_text(_note_path(part), json.dumps(asdict(note), sort_keys=True))
    file.seek(0, 2)
    if response.headers.get_content_type() == "text/html":
        _refuse_page(url, part)
    n_left = None if note.n_bytes is None else note.n_bytes - file.tell()
    with progress("fetching", n_left) as advance:
        while data := response.read(_BLOCK_BYTES):
            file.write(data)
            advance(len(data))
    file.flush()
    if note.n_bytes is not None and file.tell() != note.n_bytes:
        raise BrokenError(f"{file.tell()} of {note.n_bytes} bytes came")


def _offered(response: Any) -> _Note:
    headers = response.headers
    total = headers.get("Content-Length")
    if response.status == 206:
        total = headers.get("Content-Range", "").rpartition("/")[2]
    n_bytes = int(total) if total and total.isdecimal() else None
    return _Note(headers.get("ETag"), headers.get("Last-Modified"), n_bytes)


def _start(headers: email.message.Message) -> int | None:
    first = headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(first) if first.isdecimal() else None


def _check(url: str, part: Path, sha256: str | None) -> None:
    if is_page(part):
        _refuse_page(url, part)
    found = sha256_of(part)
    if sha256 is not None and found != sha256.lower():
        _discard(part)
        raise ArchiveError(
            f"{shown(url)} has SHA-256 {found}, expected {sha256.lower()}: the file "
            "was changed, or sha256 in the study file is another file's."
        )


def _refuse_page(url: str, part: Path) -> None:
    _discard(part)
    raise ArchiveError(
        f"{shown(url)} is a web page, not a released file. Correct url in the study "
        f"file. {_BY_HAND}."
    )


def _explain_status(url: str, part: Path, error: urllib.error.HTTPError) -> None:
    if error.code == 416:
        _note_path(part).unlink(missing_ok=True)
    if error.code == 416 or error.code in _PASSING:
        raise BrokenError(f"the server answered {error.code}") from None
    raise ArchiveError(
        f"{shown(url)}: the server answered {error.code}. Correct url in the study "
        f"file. {_BY_HAND}."
    ) from None


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
    path = _note_path(part)
    return _Note(**json.loads(path.read_text("utf-8"))) if path.exists() else None


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _note_path(part).unlink(missing_ok=True)
