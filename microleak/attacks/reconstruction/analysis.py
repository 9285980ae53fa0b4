"""Analyses that rebuild databases: from which answers, and how."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from microleak.attacks.reconstruction.definitions.formulas import Formula
from microleak.attacks.reconstruction.definitions.noise import LARGEST_BOUND, on_grid
from microleak.base.errors import StudyError
from microleak.definitions.epsilon import Epsilon
from microleak.records.compared import Need
from microleak.records.predicate import EQUALS, Predicate

ALL = "all"
"""How the study file asks for every subset once."""

TRUNCATED_GEOMETRIC = "truncated_geometric"

EXPONENTIAL, HADAMARD = "exponential", "hadamard"

MOST_TRIED, MOST_OF_POINTS = 30, 64
"""Most entries of which every database is tried or every subset asked, and of which
points are counted."""


@dataclass(frozen=True)
class Noise:
    """A law of `definitions.noise`, with its epsilon if it has one."""

    law: str
    epsilon: str | None = None

    @property
    def alpha(self) -> Fraction | None:
        """exp(-epsilon), in (0, 1), of a law that has an epsilon."""
        return None if self.epsilon is None else Epsilon.parse(self.epsilon).alpha


@dataclass(frozen=True)
class Setting:
    """One of the settings that an analysis asks for, of one database.

    Attributes
    ----------
    n_entries
        Entries of the database, n.
    queries, error
        Formulas of n, or `ALL` queries.
    noise
        Law of the noise.
    outliers
        Share of the answers that are any number, as the study file has it.
    repeat
        Which database of this setting, from 1 up.
    """

    n_entries: int
    queries: str
    error: str
    noise: Noise
    outliers: str
    repeat: int


@dataclass(frozen=True)
class Settings:
    """All settings of an analysis: each entry of a list with each of all others."""

    entries: tuple[int, ...]
    queries: tuple[str, ...]
    errors: tuple[str, ...]
    noises: tuple[Noise, ...] = (Noise("uniform"),)
    outliers: tuple[str, ...] = ("0",)
    repeats: int = 1

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Settings":
        """Return the settings of which `dataclasses.asdict` made these fields."""
        return cls(**{**given, "noises": tuple(Noise(**n) for n in given["noises"])})

    def __len__(self) -> int:
        """Return how many databases there are."""
        lists = (self.entries, self.queries, self.errors, self.noises, self.outliers)
        n = self.repeats
        for each in lists:
            n *= len(each)
        return n

    def __iter__(self) -> Iterator[Setting]:
        """Yield each setting, in the order of the study file, its repeats together."""
        lists = (self.entries, self.queries, self.errors, self.noises, self.outliers)
        for chosen in product(*lists, range(1, self.repeats + 1)):
            yield Setting(*chosen)


@dataclass(frozen=True)
class Drawn:
    """A database of persons of a release: whether each has a value, null too."""

    table: str
    release: str
    attribute: str
    equals: str | None

    def __str__(self) -> str:
        """Write it as result tables do.

        >>> str(Drawn("people", "2018", "ILL", None))
        'people 2018: ILL equals (missing)'
        """
        value = Predicate(EQUALS, (self.equals,))
        return f"{self.table} {self.release}: {self.attribute} {value}"


@dataclass(frozen=True)
class Random:
    """A database of entries that are each 1 with a chance, as the study file has it."""

    density: str = "0.5"

    def __str__(self) -> str:
        """Write it as result tables do."""
        return f"random {self.density}"


@dataclass(frozen=True)
class Points:
    """Points of a grid that are counted in place of an attack.

    Attributes
    ----------
    steps
        From 0 to 1, k.
    distance
        Share of the entries that may be far, epsilon, as the study file has it.
    number
        Points drawn for each database.
    """

    steps: int
    distance: str
    number: int


@dataclass(frozen=True)
class Reconstruction:
    """An analysis that rebuilds databases, or counts points before them.

    Attributes
    ----------
    name
        Of the analysis.
    settings
        One database each.
    database
        Where its entries come from.
    attacks
        How it is rebuilt; none if points are counted.
    limit_s
        Seconds that an attack may take for one database.
    points
        Points to count; None if there are attacks.
    assumed_error
        Formula of n of the bound that attacks believe in; None for that of the noise.
    """

    name: str
    settings: Settings
    database: Random | Drawn = Random()
    attacks: tuple[str, ...] = ()
    limit_s: int = 600
    points: Points | None = None
    assumed_error: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Reconstruction":
        """Return the analysis of which `dataclasses.asdict` made these fields."""
        database, points = given["database"], given["points"]
        kind = Random if "density" in database else Drawn
        return cls(
            **{
                **given,
                "settings": Settings.of(given["settings"]),
                "database": kind(**database),
                "points": points and Points(**points),
            }
        )

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of a release, if it needs any."""
        of = self.database
        if isinstance(of, Drawn):
            yield of.table, of.release, (of.attribute,)


SETTING = "assumed_error"


def assumed_bound(text: str, n: int) -> float:
    """Return the bound E of a formula of n, lowered to a multiple of 2**-20.

    Unlike that of the noise it is not lowered further: whoever attacks may not know
    the law.

    Raises
    ------
    StudyError
        If the formula has no value for n, or one above 2**31.

    Examples
    --------
    >>> assumed_bound("0.25*sqrt(n)", 16)
    1.0
    """
    value = Formula(text, SETTING).value(n)
    if value > LARGEST_BOUND:
        raise StudyError(
            f"The formula {text!r} is {value:.10g} for n = {n}: it must be from 0 to "
            f"{LARGEST_BOUND}. Correct {SETTING} of the reconstruction analysis in "
            "the study file."
        )
    return on_grid(value)
