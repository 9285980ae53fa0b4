"""Attributes that releases code differently, and their common values."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from microleak.base.errors import StudyError, nearest
from microleak.records.recoding import Recoding
from microleak.study_file.matrix import checked_lines
from microleak.study_file.section import Attribute, NotEmpty, Text, as_text

HEADER = ["from", "to"]
"""Columns of a file: a code of the release, and its common value."""

CommonValue = Annotated[
    NotEmpty,
    BeforeValidator(as_text, json_schema_input_type=str | int),
    Field(description="Common values, which are not empty, in quotes."),
]
CommonValues = Annotated[
    NotEmpty | Annotated[dict[Text, CommonValue], Field(min_length=1)],
    Field(
        description="A CSV file with the header `from,to`, or the common value of each "
        "code, as `{CODE: value}`.",
    ),
]
Recoded = dict[
    Attribute,
    Annotated[
        dict[str, CommonValues],
        Field(
            min_length=1,
            description="The releases whose codes are others, each with a file or a "
            "mapping of its codes.",
        ),
    ],
]
"""Common values by attribute and release."""

Recodings = dict[str, dict[str, Recoding]]
"""What is recoded, by release and attribute."""


def recodings_of(
    recoded: Recoded, releases: Collection[str], among: Collection[str], where: str
) -> Recodings:
    """Return what is recoded, with what the files say.

    Parameters
    ----------
    recoded
        As the study file has it.
    releases, among
        Releases and attributes of the analysis.
    where
        Begins what is said.

    Raises
    ------
    StudyError
        If the analysis has no such attribute or release, or a file is faulty: then its
        line.
    """
    found: Recodings = {}
    for name, codes_of in recoded.items():
        if name not in among:
            raise StudyError(
                f"{where}: recoded has {name}, which is not among stable, drifting and "
                f"qids.{nearest(name, among)} Correct it, or remove it from recoded."
            )
        for release, codes in codes_of.items():
            if release not in releases:
                raise StudyError(
                    f"{where}: recoded of {name} has release {release}, which is "
                    f"neither {' nor '.join(releases)}. Correct it."
                )
            said = f"{where}: recoded of {name} in {release}"
            found.setdefault(release, {})[name] = (
                _read(Path(codes), said) if isinstance(codes, str) else Recoding(codes)
            )
    return found


def _read(path: Path, where: str) -> Recoding:
    _, lines = checked_lines(path, where, _faults)
    return Recoding({code: value for _, (code, value) in lines}, str(path))


def _faults(header: list[str], lines: list[tuple[int, list[str]]]) -> Iterator[str]:
    if header != HEADER or not lines:
        yield f"line 1 must be {','.join(HEADER)}, and lines with codes follow."
    line_of: dict[str, int] = {}
    for number, row in lines:
        if len(row) != len(HEADER):
            yield f"line {number} has {len(row)} cells, {len(HEADER)} expected."
        if not row[-1]:
            yield f"line {number} has an empty value, but no code becomes missing."
        first = line_of.setdefault(row[0], number)
        if first != number:
            yield f"lines {first} and {number} have the same code."
