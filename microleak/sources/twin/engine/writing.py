"""A synthetic release as a zip of delimited text, marked as made up."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from microleak.base.errors import StudyError
from microleak.base.progress import Advance
from microleak.sources.files.member import NOTE

DELIMITER = b"|"

_NOTE = "SYNTHETIC / SINTETICO: made up by microleak; no record is a person's."
_FASTEST = 1


@dataclass(frozen=True)
class Page:
    """Records that are made together, as text.

    Attributes
    ----------
    n_units
        Schools or courses that they are of.
    n_records
        Lines of the text.
    text
        The lines, each with its end.
    """

    n_units: int
    n_records: int
    text: bytes


@dataclass(frozen=True)
class Size:
    """How large a release is to be.

    Attributes
    ----------
    unit
        Name of its setting in a study file, such as schools.
    number
        How many of these it has.
    most
        How many it may have.
    """

    unit: str
    number: int
    most: int


def check(census: str, year: int, years: Sequence[int], size: Size, seed: int) -> None:
    """Refuse a release that cannot be made.

    Parameters
    ----------
    census
        Its name in words.
    year, years
        The year asked for, and those that there are, sorted.
    size, seed
        As asked for.

    Raises
    ------
    StudyError
        If there is no such year, or the size or the seed is out of range.
    """
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
