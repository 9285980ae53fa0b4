"""How an adversary knows QIDs only roughly, as a study file says it."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError, did_you_mean
from microleak.records.recoding import Confusion
from microleak.study_file.matrix import FRACTION, read_matrix
from microleak.study_file.section import (
    Attribute,
    NotEmpty,
    Positive,
    Section,
    Text,
    refuse,
)


class RoughSection(Section):
    """How one QID is known: `within` or `confusion`, and how often it is `unknown`."""

    within: Positive | None = None
    """The value known is up to so much less or more than the true one, each whole
    number in between as likely; of an attribute whose values are whole numbers. A
    missing value is known as it is."""

    confusion: NotEmpty | None = None
    """A CSV file of what values are taken for: a header of `true` and the values known;
    then a line for each true value with the chance of each, as `0.9` or `1/3`, that add
    up to 1. An empty heading or name stands for a missing value; values without a line
    are known as they are. A true value that no record has is refused, unless the
    attribute has a domain. The path is relative to the folder that the command is run
    in."""

    unknown: Annotated[
        Text,
        Field(
            pattern=r"^(0?\.\d{1,15}|0|1|\d{1,15}/\d{0,14}[1-9]\d{0,14})$",
            description="Chance that the QID is not known at all, from 0 to 1, as "
            '`"0.1"` or `"1/3"`.',
        ),
    ] = "0"
    matrix: SkipJsonSchema[Confusion | None] = None
    """What the file of `confusion` says."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if Fraction(self.unknown) > 1:
            refuse("has a chance of unknown above 1. Correct it.")
        if self.within is not None and self.confusion is not None:
            refuse("has both within and confusion. Give one of them.")
        return self


Roughly = dict[Attribute, RoughSection]  # How QIDs are known that are not known exactly


def read_rough(
    roughly: Mapping[str, RoughSection],
    among: Collection[str],
    role: str,
    where: str,
    domains: Collection[str] = (),
) -> Roughly:
    """Return how QIDs of `among`, which is the key `role`, are known by their files."""
    check_rough(roughly, among, role, where)
    found = {}
    for name, rough in roughly.items():
        update = {}
        if rough.confusion is not None:
            matrix = read_confusion(Path(rough.confusion), f"{where}: {name}")
            update["matrix"] = replace(matrix, has_domain=name in domains)
        found[name] = rough.model_copy(update=update)
    return found


def check_rough(
    roughly: Collection[str], among: Collection[str], role: str, where: str
) -> None:
    for name in roughly:
        if name not in among:
            raise StudyError(
                f"{where}: roughly has {name}, which is not among {role}."
                f"{did_you_mean(name, among)} Correct it, or add it to {role}."
            )


def read_confusion(path: Path, where: str, key: str = "confusion") -> Confusion:
    """Return what a CSV file says of how often values are taken for others."""
    # `key` is what of the study file names it.
    said = "a chance as 0.9 or 1/3"
    matrix = read_matrix(path, FRACTION, said, f"{where}: {key}")
    for number, chances in enumerate(matrix.rows.values(), 2):
        if (total := sum(map(Fraction, chances))) != 1:
            decimal = f"{float(total):.12g}"
            shown = decimal if Fraction(decimal) == total else str(total)
            raise StudyError(
                f"{where}: {key}: {path}: the chances of line {number} add up to "
                f"{shown}, not to 1. Correct that line."
            )
    return Confusion(matrix.columns, matrix.rows, str(path))
