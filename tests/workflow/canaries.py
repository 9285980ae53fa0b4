"""Looks for words in every file of a folder, however they are written or packed."""

import base64
import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PNG = b"\x89PNG\r\n\x1a\n"
ZSTD = b"\x28\xb5\x2f\xfd"
EMBEDDED = re.compile(rb"base64,([A-Za-z0-9+/]{16,}={0,2})")


def found_in(folder: Path, words: Collection[str], binary: Collection[bytes] = ()):
    """Paths below a folder, sorted, of files that have a word in content or name."""
    # Letters are found in capitals or not.
    wanted = {*binary, *(form.lower() for word in words for form in forms(word))}
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _is_in(path, wanted)
    ]


def _is_in(path: Path, wanted: Collection[bytes]) -> bool:
    contents = (path.name.encode(), *unpacked(path.read_bytes()))
    return any(has(content, wanted) for content in contents)


def has(content: bytes, wanted: Collection[bytes]) -> bool:
    """Say whether some bytes are there, or are once its letters are small ones."""
    small = content.lower()
    return any(form in content or form in small for form in wanted)


def forms(word: str) -> Iterator[bytes]:
    """Yield a word of ASCII letters and digits as it may stand in a file."""
    # UTF-8 and Latin-1 are alike, and so are the escapes of URLs, HTML, JSON, LaTeX and
    # Python, which leave it as it is or write each of its characters as a number.
    plain = word.encode("ascii")
    yield from (plain, word.encode("utf-16-le"), word.encode("utf-16-be"))
    yield from (word.encode("utf-32-le"), plain.hex().encode())
    for escape in ("%{:02x}", r"\x{:02x}", r"\u{:04x}", "&#x{:x};", "&#{};"):
        yield "".join(escape.format(byte) for byte in plain).encode()
    yield from _in_base64(plain)


def _in_base64(plain: bytes) -> Iterator[bytes]:
    """Yield what a word surely becomes wherever in a text it stands."""
    for before in range(3):
        text = base64.b64encode(bytes(before) + plain)
        first = (0, 2, 3)[before]
        yield text[first : (before + len(plain)) * 8 // 6]


def unpacked(content: bytes) -> Iterator[bytes]:
    """Yield a file's bytes and those of all that is packed in it, however deep."""
    yield content
    for inner in _inside(content):
        yield from unpacked(inner)
    for embedded in EMBEDDED.findall(content):
        yield from unpacked(base64.b64decode(embedded))


def _inside(content: bytes) -> Iterator[bytes]:
    if content.startswith(b"PK\x03\x04"):
        yield from _of_zip(content)
    elif content.startswith(b"\x1f\x8b"):
        yield gzip.decompress(content)
    elif content.startswith(b"BZh"):
        yield bz2.decompress(content)
    elif content.startswith(b"\xfd7zXZ\0"):
        yield lzma.decompress(content)
    elif content.startswith(PNG):
        yield from _of_png(content)
    elif content.startswith(b"PAR1"):
        yield from _of_parquet(content)
    elif content[257:262] == b"ustar":
        yield from _of_tar(content)


def _of_zip(content: bytes) -> Iterator[bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.infolist():
            yield from (member.filename.encode(), member.comment)
            yield archive.read(member)


def _of_tar(content: bytes) -> Iterator[bytes]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            file = archive.extractfile(member)
            yield file.read() if file else b""


def _of_png(content: bytes) -> Iterator[bytes]:
    """Yield what is compressed in chunks of text: zTXt and iTXt."""
    at = len(PNG)
    while at < len(content):
        n = int.from_bytes(content[at : at + 4], "big")
        kind, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + n]
        text = data.partition(b"\0")[2]
        if kind == b"zTXt":
            yield zlib.decompress(text[1:])
        elif kind == b"iTXt" and text.startswith(b"\1"):
            yield zlib.decompress(text[2:].split(b"\0", 2)[2])
        at += 12 + n


def _of_parquet(content: bytes) -> Iterator[bytes]:
    """Yield its rows uncompressed, each page, and metadata in words."""
    # Pages can have values that no row has, in a dictionary. Bounds of columns stand in
    # the file's own bytes as they are.
    file = pq.ParquetFile(io.BytesIO(content))
    yield repr((file.metadata.to_dict(), file.schema_arrow.metadata)).encode()
    out = io.BytesIO()
    with pa.ipc.new_stream(out, file.schema_arrow) as stream:
        stream.write_table(file.read())
    yield out.getvalue()
    for start in (found.start() for found in re.finditer(re.escape(ZSTD), content)):
        yield _page(content[start:])


def _page(frame: bytes) -> bytes:
    """Decompress a frame of zstd that more may follow, as far as it can be."""
    read = b""
    try:
        with pa.CompressedInputStream(pa.BufferReader(frame), "zstd") as stream:
            while part := stream.read(1):
                read += part
    except OSError:  # what follows the frame is none
        pass
    return read
