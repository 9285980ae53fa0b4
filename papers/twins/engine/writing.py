"""A synthetic release as a zip of delimited text, marked as made up."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from microleak.base.errors import StudyError
from microleak.base.progress import Advance
from microleak.sources.files.member import NOTE

Text = NDArray[np.bytes_]
"""Value of each record as ASCII bytes, shape (n_records,); empty is missing."""

_PAGE = 4096
"""Records written at a time: their text stays in the processor's cache."""

_IDS = 900_000_000_000
_STEP = 15_485_863
"""A prime below 2**24: its multiples modulo _IDS are all different."""

_QUADS = np.array([f"{at:04d}".encode() for at in range(10_000)])
_HEX_QUADS = np.array([f"{at:04X}".encode() for at in range(1 << 16)])


def table(values: Sequence[int | str] | NDArray[np.integer]) -> Text:
    """Each value's text, and an empty one at the end, which is position -1.

    >>> table([7, 11])[[1, -1]].tolist()
    [b'11', b'']
    """
    return np.array([*(str(value).encode() for value in values), b""])


def digits(numbers: NDArray[np.integer], width: int) -> Text:
    """Numbers from 0 with leading zeros, all of one even width.

    >>> digits(np.array([31]), 6).tolist()
    [b'000031']
    """
    text = np.empty((len(numbers), width), dtype=np.uint8)
    for end in range(width, 0, -4):
        quad = _QUADS[numbers // 10 ** (width - end) % 10_000]
        start = max(end - 4, 0)
        text[:, start:end] = _bytes(quad)[:, 4 - (end - start) :]
    return text.view(f"S{width}").ravel()


def identifiers(number: NDArray[np.int64], batch: int, offset: int) -> Text:
    """12 digits, different for every number below 2**22 of every batch."""
    assert number.max(initial=0) < 1 << 22
    serial = number.astype(np.uint64) + np.uint64(batch << 22)
    mixed = (serial * np.uint64(_STEP) + np.uint64(offset % _IDS)) % np.uint64(_IDS)
    return digits((mixed + np.uint64(10**11)).astype(np.int64), 12)


def hexadecimal(number: int, rng: np.random.Generator) -> Text:
    """Random texts of 32 upper-case hexadecimal digits."""
    quads = np.frombuffer(rng.bytes(16 * number), dtype="<u2")
    text: Text = _HEX_QUADS[quads].view("S32")
    return text


def lines(columns: Sequence[Text], delimiter: bytes) -> bytes:
    r"""Text of the records, one a line, without quotes.

    >>> lines([np.array([b"1", b""]), np.array([b"20", b"3"])], b"|")
    b'1|20\n|3\n'
    """
    starts = range(0, len(columns[0]), _PAGE)
    pages = ([column[at : at + _PAGE] for column in columns] for at in starts)
    return b"".join(_page(page, delimiter) for page in pages)


def _page(columns: Sequence[Text], delimiter: bytes) -> bytes:
    widths = [column.dtype.itemsize + 1 for column in columns]
    page = np.full((len(columns[0]), sum(widths)), delimiter[0], dtype=np.uint8)
    end = 0
    for column, width in zip(columns, widths, strict=True):
        page[:, end : end + width - 1] = _bytes(column)
        end += width
    page[:, -1] = b"\n"[0]
    # NumPy fills short texts with NUL, which no value holds.
    text: bytes = page[page != 0].tobytes()
    return text


def _bytes(column: Text) -> NDArray[np.uint8]:
    whole = np.ascontiguousarray(column)
    return whole.view(np.uint8).reshape(len(column), column.dtype.itemsize)


DELIMITER = b"|"

_NOTE = "SYNTHETIC / SINTETICO: made up by microleak; no record is a person's."
_FASTEST = 1


@dataclass(frozen=True)
class Page:
    """Records that are made together, as text."""

    n_units: int  # Schools or courses that they are of
    n_records: int  # Lines of the text
    text: bytes  # The lines, each with its end


@dataclass(frozen=True)
class Size:
    """How large a release is to be."""

    unit: str  # Name of its setting in a study file, such as schools
    number: int  # How many of these it has
    most: int  # How many it may have


def check(census: str, year: int, years: Sequence[int], size: Size, seed: int) -> None:
    """Refuse a release that cannot be made."""
    if year not in years:
        raise StudyError(
            f"releases: there is no synthetic {census} of {year}; "
            f"{_in_words(years)}. Correct releases in the study."
        )
    if not 1 <= size.number <= size.most:
        raise StudyError(
            f"synthetic.{size.unit} is {size.number}; it must be from 1 to "
            f"{size.most}. Correct it under releases in the study file."
        )
    if seed < 0:
        raise StudyError(f"seed is {seed}; it must be 0 or more. Correct the study.")


def _in_words(years: Sequence[int]) -> str:
    first, last = years[0], years[-1]
    if first == last:
        return f"the only year is {first}"
    return f"the years are {first} to {last}"


def write_archive(
    path: Path,
    header: str,
    members: Mapping[str, Iterator[Page]],
    advance: Advance,
) -> int:
    """Write a zip of these members under one header line; return how many records.

    The archive carries no clock and says in its comment, and in a note, that it
    is synthetic.
    """
    rows = 0
    with zipfile.ZipFile(
        path, "w", zipfile.ZIP_DEFLATED, compresslevel=_FASTEST
    ) as archive:
        archive.comment = _NOTE.encode("ascii")
        with archive.open(NOTE, "w") as note:
            note.write(f"{_NOTE}\n".encode("ascii"))
        for name, pages in members.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(f"{header}\n".encode("latin-1"))
                rows += _written(member, pages, advance)
    return rows


def _written(member: IO[bytes], pages: Iterator[Page], advance: Advance) -> int:
    """Write pages in order, each while the next one is made; count the rows."""
    rows = 0
    writing: Future[int] | None = None
    with ThreadPoolExecutor(max_workers=1) as writer:
        for page in pages:
            if writing is not None:
                writing.result()
            writing = writer.submit(member.write, page.text)
            rows += page.n_records
            advance(page.n_units)
        if writing is not None:
            writing.result()
    return rows
