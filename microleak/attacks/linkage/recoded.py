"""Attributes that releases code differently, and their common values."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from microleak.base.errors import StudyError, did_you_mean
from microleak.base.strict_csv import Csv
from microleak.records.recoding import Recoding
from microleak.study_file.matrix import checked_csv
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

    `releases` and `among` are those of the analysis, and its attributes; `where` begins
    what is said.
    """
    found: Recodings = {}
    for name, codes_of in recoded.items():
        if name not in among:
            raise StudyError(
                f"{where}: recoded has {name}, which is not among stable, drifting and "
                f"qids.{did_you_mean(name, among)} Correct it, or remove it from "
                "recoded."
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
    lines = checked_csv(path, where, _faults).lines
    return Recoding({code: value for _, (code, value) in lines}, str(path))


def _faults(found: Csv) -> Iterator[str]:
    if found.header != HEADER or not found.lines:
        yield f"line 1 must be {','.join(HEADER)}, and lines with codes follow."
    line_of: dict[str, int] = {}
    for number, (code, value) in found.lines:
        if not value:
            yield f"line {number} has an empty value, but no code becomes missing."
        first = line_of.setdefault(code, number)
        if first != number:
            yield f"lines {first} and {number} have the same code."
