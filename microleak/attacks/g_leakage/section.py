"""Analyses of what guesses gain, as the study file gives them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic.dataclasses import dataclass
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError
from microleak.records.compared import Need
from microleak.study_file.matrix import FRACTION, read_matrix
from microleak.study_file.section import Attribute, Context, NotEmpty, OfQids, Positive

OTHERS = "*"  # Heads the gains by all values that have no column

MOST_CLASSES = 1 << 10
"""Values that some guess tells apart, at most; others may be as many as they are."""

MOST_GUESSES = 1_000

LARGEST_GAIN = 2**31 - 1
"""Of gains as whole numbers: a block of all records then fits in 64 bits."""


@dataclass(frozen=True)
class GainFunction:
    """What each guess gains by each value."""

    values: tuple[str, ...]
    """Values of the attribute, the empty text for a missing one, and `*` for all
    others, by which a guess gains 0 where it is not there."""
    gains: tuple[tuple[str, ...], ...]
    """Of each guess its gain by each of these, as texts of fractions."""

    @cached_property
    def exact(self) -> list[list[Fraction]]:
        """Gains by guess and value, the last of which is that of all others."""
        of_others = self.values.index(OTHERS) if OTHERS in self.values else None
        return [
            [
                *(Fraction(g) for i, g in enumerate(of_guess) if i != of_others),
                Fraction(0 if of_others is None else of_guess[of_others]),
            ]
            for of_guess in self.gains
        ]

    @property
    def known(self) -> list[str | None]:
        """Values that have gains of their own, None for a missing one."""
        return [value or None for value in self.values if value != OTHERS]

    @cached_property
    def denominator(self) -> int:
        """By what all gains are whole numbers."""
        return lcm(*(gain.denominator for row in self.exact for gain in row))

    @property
    def whole(self) -> list[list[int]]:
        """Gains by guess and value, multiplied by the denominator."""
        n = self.denominator
        return [[int(gain * n) for gain in of_guess] for of_guess in self.exact]

    @property
    def has_costs(self) -> bool:
        return any(gain < 0 for of_guess in self.exact for gain in of_guess)

    @property
    def classes(self) -> tuple[list[int], NDArray[np.int64]]:
        """Which class each value is of, all others last, and the gains by class."""
        # Values by which all guesses gain the same are of one class.
        by_class, class_of = np.unique(
            np.array(self.whole, dtype=np.int64), axis=1, return_inverse=True
        )
        return class_of.ravel().tolist(), by_class


class GuessAnalysis(OfQids):
    """What the best guess of an attribute gains, where guesses are worth more or less.

    A gain function says what each guess gains by each value: more for an illness that
    is severe, something for a value that is close, nothing or a loss for a wrong one.
    With `tries` a guess is several values, one of which is to be right.
    """

    sensitive: Attribute
    """Attribute that is guessed; neither a QID nor an identifier of the person or
    record."""

    gains: NotEmpty | None = None
    """A CSV file of what guesses gain: a header of `guess` and values, as texts in the
    newest coding; then a line for each guess, its name first, with its gain by each
    value, as `1`, `-0.5` or `1/3`. An empty heading stands for a missing value, `*` for
    all values that have no column, by which a guess gains 0 where there is none. A
    value that no record has is refused, unless the attribute has a domain. The path is
    relative to the folder that the command is run in."""

    tries: Positive | None = None
    """How many values may be named, in the place of `gains`: the guess gains 1 if one
    of them is right."""

    function: SkipJsonSchema[GainFunction | None] = None
    """What the file of `gains` says."""

    has_domain: SkipJsonSchema[bool] = False
    """Whether the attribute has a domain, so that a value may be possible and yet
    absent."""

    @property
    def needs(self) -> Iterator[Need]:
        attributes: Sequence[str] = (*self.qids, self.sensitive)
        yield self.table, self.focal, tuple(attributes)


SECTION = GuessAnalysis


def read_one(context: Context, section: GuessAnalysis) -> GuessAnalysis:
    release = context.focal(section)
    section.checked(release.where)
    release.check(section.qids, (section.sensitive,))
    if (section.gains is None) == (section.tries is None):
        raise StudyError(f"{release.where} must give exactly one of gains and tries.")
    if section.gains is None:
        return section
    function = read_gains(Path(section.gains), release.where)
    _check_values(function, release, section)
    has_domain = section.sensitive in release.definition.domains
    return section.model_copy(update={"function": function, "has_domain": has_domain})


def read_gains(path: Path, where: str) -> GainFunction:
    """Return the gain function of a CSV file."""
    gain = f"-?{FRACTION}"
    said = "a number as 1, -0.5 or 1/3"
    matrix = read_matrix(path, gain, said, f"{where}: gains")
    function = GainFunction(matrix.columns, tuple(matrix.rows.values()))
    check_function(function, str(path))
    return function


def check_function(function: GainFunction, where: str) -> None:
    if fault := next(_excesses(function), ""):
        raise StudyError(f"{where}: {fault}")


def _excesses(function: GainFunction) -> Iterator[str]:
    if len(function.gains) > MOST_GUESSES:
        yield (
            f"it has {len(function.gains):,} guesses, more than the {MOST_GUESSES:,} "
            "that can be compared. Leave out those that never gain most."
        )
    largest = max(abs(gain) for of_guess in function.exact for gain in of_guess)
    if largest * function.denominator > LARGEST_GAIN:
        yield (
            "its gains, brought to one denominator, are larger than "
            f"{LARGEST_GAIN:,}. Write them with fewer digits."
        )
        return
    _, by_class = function.classes
    if by_class.shape[1] > MOST_CLASSES:
        yield (
            f"it tells {by_class.shape[1]:,} values apart, more than the "
            f"{MOST_CLASSES:,} that an analysis can. Give the same gains to values "
            "that need not be told apart."
        )


def _check_values(function: GainFunction, release: Any, section: GuessAnalysis) -> None:
    for place, value in enumerate(function.values, 2):
        fault = release.fault_of(value or None, section.sensitive)
        if fault and value != OTHERS:
            raise StudyError(
                f"{release.where}: line 1, cell {place} of {section.gains} {fault} in "
                f"{section.sensitive}. Correct it there."
            )
