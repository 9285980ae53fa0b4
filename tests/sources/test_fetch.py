import hashlib
import re
import ssl
import threading
import urllib.error
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from microleak.base.errors import ArchiveError, StudyError
from microleak.base.files import is_locked
from microleak.sources.fetch import attempts
from microleak.sources.fetch import http as fetch
from microleak.sources.fetch.http import download
from tests.watched import steps_watched

DATA = b"PK\3\4" + bytes(range(252)) * 40 + bytes(156)
SHA256 = hashlib.sha256(DATA).hexdigest()


@dataclass
class Office:
    """A server whose answers go wrong as the faults say, one for each request."""

    # A fault is a status, below 0, or after how many bytes the connection drops.
    data: bytes = DATA
    etag: str | None = '"1"'
    modified: str | None = None
    length: str | None = "Content-Length"
    encoding: str | None = None
    kind: str = "application/zip"
    takes_ranges: bool = True
    starts_at: int | None = None
    faults: list[int] = field(default_factory=list)
    leads_to: str = ""
    asked: list[str | None] = field(default_factory=list)
    port: int = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/release.zip?key=word"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        office = self.server.office
        wanted = self.headers.get("Range")
        office.asked.append(wanted)
        if office.faults and office.faults[0] < 0:
            return self.send_error(-office.faults.pop(0))
        if office.leads_to:
            self.send_response(302)
            self.send_header("Location", office.leads_to)
            return self.end_headers()
        known = {None, office.etag, office.modified}
        is_same = self.headers.get("If-Range") in known
        first = int(re.sub(r"\D", "", wanted)) if wanted and is_same else 0
        return self.send_data(office, first if office.takes_ranges else 0)

    def send_data(self, office, first):
        if first >= len(office.data) and first:
            return self.send_error(416)
        body, n_all = office.data[first:], len(office.data)
        self.send_response(206 if first else 200)
        if first:
            start = first if office.starts_at is None else office.starts_at
            self.send_header("Content-Range", f"bytes {start}-{n_all - 1}/{n_all}")
        said = {
            "Content-Type": office.kind,
            "Content-Encoding": office.encoding,
            "ETag": office.etag,
            "Last-Modified": office.modified,
            "Content-Length": str(len(body)) if office.length else None,
            "Transfer-Encoding": "chunked" if office.length == "chunked" else None,
        }
        for name, value in said.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        n_sent = office.faults.pop(0) if office.faults else len(body)
        if office.length == "chunked":
            self.send_chunks(body, n_sent)
        else:
            self.wfile.write(body[:n_sent])
        self.close_connection = True
        return None

    def send_chunks(self, body, n_sent):
        size = 700
        for start in range(0, len(body), size):
            chunk = body[start : start + size]
            if start + size > n_sent and n_sent < len(body):
                return self.wfile.write(b"%x\r\n" % len(chunk) + chunk[:-1])
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        return self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


@pytest.fixture
def office(monkeypatch):
    monkeypatch.setattr(attempts, "PAUSES_S", (0.0, 0.0))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.office = Office(port=server.server_port)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server.office
        server.shutdown()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "raw" / "release.zip"


def left(path):
    return sorted(file.name for file in path.parent.iterdir())


def interrupted(office, path, n_bytes):
    """Leave a part of so many bytes, as a run that was ended does."""
    office.faults = [n_bytes, -503, -503, -503]
    with pytest.raises(ArchiveError, match="the part is kept"):
        download(office.url, path, SHA256)
    office.asked = []


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"faults": [-503, -429]},
        {"takes_ranges": False, "faults": [1000]},
        {"starts_at": 7, "faults": [1000]},
    ],
    ids=["nothing", "a passing fault", "no ranges", "bytes from another place"],
)
def test_a_file_arrives_whole_and_alone_whatever_happens(office, path, settings):
    vars(office).update(settings)
    download(office.url, path, SHA256.upper())
    assert path.read_bytes() == DATA
    assert left(path) == ["release.zip"]


def test_a_dropped_connection_is_resumed_where_it_broke(office, path):
    office.faults = [1000, 2000]
    download(office.url, path, SHA256)
    assert path.read_bytes() == DATA
    assert office.asked == [None, "bytes=1000-", "bytes=3000-"]


def test_each_attempt_shows_its_progress_through_what_was_left(office, path):
    office.faults = [1000]
    with steps_watched() as steps:
        download(office.url, path, SHA256)
    shown = [(step, total, sum(advances)) for step, total, advances in steps]
    n = len(DATA)
    assert shown == [("fetching", n, 1000), ("fetching", n - 1000, n - 1000)]


def test_a_later_call_resumes_the_part(office, path):
    interrupted(office, path, 1000)
    download(office.url, path, SHA256)
    assert office.asked == ["bytes=1000-"]
    assert path.read_bytes() == DATA
    assert left(path) == ["release.zip"]


def test_a_part_that_is_complete_is_not_asked_for_again(office, path):
    interrupted(office, path, 1000)
    path.with_name("release.zip.part").write_bytes(DATA)
    download(office.url, path, SHA256)
    assert office.asked == []
    assert path.read_bytes() == DATA


def test_a_part_of_unknown_origin_is_started_anew(office, path):
    path.parent.mkdir()
    path.with_name("release.zip.part").write_bytes(b"else")
    download(office.url, path, SHA256)
    assert office.asked == [None]
    assert path.read_bytes() == DATA


@pytest.mark.parametrize("change", [{"etag": '"2"'}, {"data": DATA[::-1] + b"x"}])
def test_a_file_that_changed_on_the_server_is_started_anew(office, path, change):
    interrupted(office, path, 1000)
    for name, value in change.items():
        setattr(office, name, value)
    download(office.url, path, hashlib.sha256(office.data).hexdigest())
    assert path.read_bytes() == office.data


def test_a_wrong_hash_deletes_the_part_and_shows_both(office, path):
    office.data = b"another file"
    found = hashlib.sha256(office.data).hexdigest()
    with pytest.raises(ArchiveError, match=f"SHA-256 {found}, expected {SHA256}"):
        download(office.url, path, SHA256)
    assert left(path) == []


def test_an_address_that_does_not_exist_is_not_tried_again(office, path):
    office.faults = [-404, -404]
    with pytest.raises(ArchiveError, match="the server answered 404"):
        download(office.url, path, SHA256)
    assert office.asked == [None]


def test_a_server_that_never_gives_a_byte_is_given_up(office, path):
    office.faults = [0] * 10
    with pytest.raises(ArchiveError, match=r"0 of 10240 bytes came.*part is kept"):
        download(office.url, path, SHA256)
    assert len(office.asked) == 3


def test_a_message_does_not_show_what_may_be_a_key(office, path):
    office.faults = [-404]
    with pytest.raises(ArchiveError, match=r"^http://127\.0\.0\.1/release\.zip: ") as e:
        download(office.url, path, SHA256)
    assert "word" not in str(e.value)


def test_a_certificate_that_is_not_valid_says_to_fetch_by_hand(path, monkeypatch):
    def refuse(*_):
        raise urllib.error.URLError(ssl.SSLCertVerificationError("expired"))

    monkeypatch.setattr(fetch, "_opened", refuse)
    words = "certificate is not valid, and verification is never switched off. Fetch it"
    with pytest.raises(ArchiveError, match=words):
        download("https://download.inep.gov.br/a.zip", path, None)


def test_a_secure_address_does_not_lead_to_one_that_is_not():
    request = fetch.urllib.request.Request("https://a.br/x")
    with pytest.raises(ArchiveError, match="leads to an address without https"):
        fetch._NoDowngrade().redirect_request(
            request, None, 302, "", {}, "http://a.br/x"
        )


@pytest.mark.parametrize("target", ["file:///etc/passwd", "data:,x"])
def test_an_address_does_not_lead_to_a_local_file(office, path, target):
    office.leads_to = target
    with pytest.raises(ArchiveError, match="the server answered 302"):
        download(office.url, path, None)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://u:word@a.br/x", "a.zip"])
def test_an_address_of_another_kind_is_refused(path, url):
    with pytest.raises(StudyError, match="must begin with https:// or http://") as e:
        download(url, path, None)
    assert "word@" not in str(e.value)


def test_an_address_that_cannot_be_is_refused_at_once(path, monkeypatch, url, words):
    monkeypatch.setattr(attempts.time, "sleep", pytest.fail)
    monkeypatch.setattr(fetch, "_opened", pytest.fail)
    with pytest.raises(StudyError, match=words) as error:
        download(url, path, None)
    assert "word" not in str(error.value)
    assert str(error.value).isprintable()
    assert not path.parent.exists()


def test_an_address_does_not_lead_to_one_that_cannot_be(office, path, monkeypatch):
    monkeypatch.setattr(attempts.time, "sleep", pytest.fail)
    office.leads_to = "http://[::1"
    with pytest.raises(ArchiveError, match="leads to an address that cannot be"):
        download(office.url, path, None)


def test_two_downloads_do_not_write_one_part(office, path):
    path.parent.mkdir()
    with path.with_name("release.zip.part").open("ab") as other:
        assert is_locked(other)
        with pytest.raises(ArchiveError, match="written by another download"):
            download(office.url, path, SHA256)


OTHER = DATA[::-1]


@pytest.mark.parametrize("etag", [None, 'W/"1"'])
def test_without_a_validator_a_part_is_started_anew(office, path, etag):
    office.etag = etag
    interrupted(office, path, 1000)
    office.data = OTHER
    download(office.url, path, None)
    assert office.asked == [None]
    assert path.read_bytes() == OTHER


@pytest.mark.parametrize("etag", [None, 'W/"1"'])
@pytest.mark.parametrize("data", [DATA, OTHER])
def test_a_part_is_resumed_by_the_time_it_was_modified(office, path, etag, data):
    office.etag, office.modified = etag, "Mon, 17 Jun 2024 09:55:00 GMT"
    interrupted(office, path, 1000)
    if data != office.data:
        office.data, office.modified = data, "Tue, 18 Jun 2024 09:55:00 GMT"
    download(office.url, path, None)
    assert office.asked == ["bytes=1000-"]
    assert path.read_bytes() == data


def test_a_file_of_unknown_length_needs_a_hash_or_a_number_of_rows(office, path):
    office.length = None
    words = "does not say how long the file is, .* Give sha256 or n_rows of the release"
    with pytest.raises(ArchiveError, match=words):
        download(office.url, path, None)
    assert left(path) == []
    download(office.url, path, None, is_counted=True)
    download(office.url, path, SHA256)
    assert path.read_bytes() == DATA


def test_a_file_in_chunks_says_itself_where_it_ends(office, path):
    office.length = "chunked"
    download(office.url, path, None)
    assert path.read_bytes() == DATA
    office.faults = [1000, 5000]
    download(office.url, path.with_name("again"), None)
    assert path.with_name("again").read_bytes() == DATA
    assert len(office.asked) == 4


def test_a_file_in_chunks_that_is_always_cut_is_given_up(office, path):
    office.length, office.etag, office.faults = "chunked", None, [1000] * 9
    with pytest.raises(ArchiveError, match=r"connection broke .IncompleteRead"):
        download(office.url, path, None)
    assert not path.exists()


ANSWERS = {
    b'{"error": {"code": 503}}': "JSON",
    b' [{"message": "quota"}]\n': "JSON",
    b'\xef\xbb\xbf<?xml version="1.0"?><Error/>': "XML",
    b"<Error><Code>SlowDown</Code></Error>": "XML",
    b"\xef\xbb\xbf <!doctype html>": "a web page",
    b"": "empty",
    b"\n<!DOCTYPE HTML>": "a web page",
}


@pytest.mark.parametrize(("data", "what"), ANSWERS.items(), ids=ANSWERS.values())
def test_an_answer_that_is_no_release_is_not_kept(office, path, data, what):
    office.data = data
    with pytest.raises(ArchiveError, match=f"is {what}, not a released file, and was"):
        download(office.url, path, None)
    assert left(path) == []
    office.data = DATA
    office.kind = "text/html; charset=utf-8"
    with pytest.raises(ArchiveError, match="is a web page, not a released file"):
        download(office.url, path, None)
    office.kind = "application/zip"
    download(office.url, path, None)
    assert path.read_bytes() == DATA


@pytest.mark.parametrize("data", [b"{a};{b}\n1;2\n", b"[a],[b]\n1,2\n", b"1\n2\n"])
def test_a_text_that_only_begins_as_json_does_is_kept(office, path, data):
    office.data = data
    download(office.url, path, None)
    assert path.read_bytes() == data


NOTES = [
    "",
    "{",
    "[]",
    '{"n_bytes": 1000',
    '{"etag": 5}',
    '{"etag": null, "modified": null, "n_bytes": "1000"}',
    '{"name": 1}',
    "\0",
    "5",
]


@pytest.mark.parametrize("text", NOTES)
def test_a_damaged_note_starts_the_part_anew(office, path, text):
    interrupted(office, path, 1000)
    path.with_name("release.zip.part.json").write_text(text, encoding="utf-8")
    download(office.url, path, SHA256)
    assert office.asked == [None]
    assert left(path) == ["release.zip"]


def test_what_a_server_packs_unasked_is_refused(office, path):
    office.encoding = "gzip"
    words = r"the server packs the file .gzip., although it was asked not to\. Fetch it"
    with pytest.raises(ArchiveError, match=words):
        download(office.url, path, None)
    assert left(path) == []


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip"])
def test_a_packed_file_that_the_server_says_is_packed_is_kept(office, path, encoding):
    office.encoding = encoding
    download(office.url.replace(".zip", ".csv.gz"), path, None)
    assert path.read_bytes() == DATA


def test_a_file_without_end_is_given_up_and_not_kept(office, path, monkeypatch):
    monkeypatch.setattr(fetch, "_MOST_BYTES", 5000)
    office.length = None
    with pytest.raises(ArchiveError, match="more than 5000 bytes came"):
        download(office.url, path, SHA256)
    assert left(path) == []


def test_more_than_was_announced_is_not_taken(office, path, monkeypatch):
    interrupted(office, path, 1000)
    office.length, n_all = "chunked", len(DATA)

    def send_more(handler, body, n_sent):
        handler.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (n_all, DATA))

    monkeypatch.setattr(Handler, "send_chunks", send_more)
    with pytest.raises(ArchiveError, match=f"more than the {n_all} bytes announced c"):
        download(office.url, path, SHA256)
    assert left(path) == []


@pytest.mark.parametrize(("length", "n_left"), [("Content-Length", 1), (None, 0)])
def test_a_disk_without_room_is_told_first(office, path, monkeypatch, length, n_left):
    office.length = length
    monkeypatch.setattr(attempts, "RESERVE_BYTES", 1 << 60)
    with pytest.raises(ArchiveError, match="Make room on the disk of the results"):
        download(office.url, path, SHA256)
    sizes = [file.stat().st_size for file in path.parent.glob("*.part")]
    assert sizes == [0] * n_left
