"""Reconstruction analyses as the study file gives them: which answers, which attack."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product, starmap
from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, StrictInt

from microleak.base.errors import StudyError, ordinal, refused_in
from microleak.definitions.epsilon import (
    EXPECTED,
    LEAST,
    MOST,
    MOST_CHARACTERS,
    Epsilon,
)
from microleak.records.compared import Need
from microleak.records.record_filter import distinct_text
from microleak.study_file.section import (
    Attribute,
    Context,
    Different,
    Name,
    Section,
    Text,
    Value,
    as_text,
)

ALL = "all"
"""How the study file asks for every subset once."""

TRUNCATED_GEOMETRIC = "truncated_geometric"

EXPONENTIAL, HADAMARD = "exponential", "hadamard"

MOST_TRIED, MOST_OF_POINTS = 30, 64
"""Most entries of which every database is tried or every subset asked, and of which
points are counted."""

MOST_DATABASES = 100_000
"""Most databases of one analysis."""

OF_ATTACKS = ("database", "outliers", "limit_s", "assumed_error")
"""Keys that only an analysis with attacks may have."""

NOT_ALL = ("points", HADAMARD)
"""What cannot ask for every subset."""

_SHARE = "0?[.][0-9]{0,8}[1-9]"


ShareText = Annotated[str, Field(pattern=f"^{_SHARE}$")]
ZeroOrShare = Annotated[
    str,
    Field(pattern=f"^(0|{_SHARE})$"),
    BeforeValidator(as_text, json_schema_input_type=Literal[0] | ShareText),
]
AttackName = Annotated[
    Literal["exponential", "linear", "least_squares", "l1", "determined", "hadamard"],
    Field(description="An attack is one of these names, each described at `attacks`."),
]
EntriesNumber = Annotated[
    StrictInt,
    Field(ge=2, le=1 << 24, description="Numbers of entries are from 2 to 2^24."),
]
QueriesFormula = Annotated[
    Text,
    Field(description="A formula of n, as `n*log2(n)**2`, a number, or `all`."),
]
BoundFormula = Annotated[
    Text, Field(description="A formula of n, as `0.5*sqrt(n)`, or a number.")
]
Outliers = Annotated[
    ZeroOrShare,
    Field(
        description="A share of outliers is 0, or below 1 with at most nine decimals "
        "of which the last is not 0, as 0.1."
    ),
]


class Geometric(Section):
    """Truncated geometric noise."""

    truncated_geometric: Text
    """Epsilon, as `ln 3` with a number above 1, or a number above 0."""


Law = Annotated[
    Literal["uniform", "uniform_integer", "adversarial", "rounding"] | Geometric,
    Field(
        description="A law of the noise is `uniform`, `uniform_integer`, "
        "`adversarial`, `rounding` or `{truncated_geometric: ln 3}`."
    ),
]


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
    """One of the settings that an analysis asks for, of one database."""

    n_entries: int
    queries: str  # A formula of n, or `ALL`
    error: str  # A formula of n
    noise: Noise
    outliers: str  # Share of the answers that are any number, as the study file has it
    repeat: int  # Which database of this setting, from 1 up


@dataclass(frozen=True)
class SettingsGrid:
    """All settings of an analysis: each entry of a list with each of all others."""

    entries: tuple[int, ...]
    queries: tuple[str, ...]
    errors: tuple[str, ...]
    noises: tuple[Noise, ...] = (Noise("uniform"),)
    outliers: tuple[str, ...] = ("0",)
    repeats: int = 1

    @property
    def _lists(self) -> tuple[Sequence[Any], ...]:
        lists = (self.entries, self.queries, self.errors, self.noises, self.outliers)
        return *lists, range(1, self.repeats + 1)

    def __len__(self) -> int:
        return prod(map(len, self._lists))

    def __iter__(self) -> Iterator[Setting]:
        return starmap(Setting, product(*self._lists))


class Chance(Section):
    """How likely an entry is 1."""

    density: ShareText
    """Chance of an entry to be 1, above 0 and below 1, as 0.5."""


class Random(Section):
    """A database of entries that are each 1 with a chance."""

    random: Chance
    """Every entry is drawn for itself."""

    @property
    def density(self) -> str:
        """The chance, as the study file has it."""
        return self.random.density

    @property
    def told(self) -> dict[str, str | float]:
        """What result tables say of it."""
        return {"database": "random", "density": float(self.density)}


class DrawnDatabase(Section):
    """A database of persons of a release: whether each has a value, null too."""

    table: str
    """Which table; an entry is a person of it, drawn at random without replacement for
    each database."""

    release: Text
    """Which release of it."""

    attribute: Attribute
    """Attribute of the persons; not an identifier of the person or record."""

    equals: Value
    """Value of a person whose entry is 1, a text in quotes, or null for a missing
    one."""

    @property
    def told(self) -> dict[str, str | float]:
        """What result tables say of it.

        >>> people = {"table": "people", "release": "2018"}
        >>> DrawnDatabase(**people, attribute="ILL", equals=None).told["value"]
        '(missing)'
        """
        return {
            "database": "drawn",
            "table": self.table,
            "release": self.release,
            "attribute": self.attribute,
            "value": distinct_text(self.equals),
        }


class Points(Section):
    """Points of a grid that are counted in place of an attack."""

    steps: Annotated[StrictInt, Field(ge=1, le=255)]
    """Steps from 0 to 1 of the grid, k."""

    distance: ZeroOrShare
    """Share of the entries that may be off by more than 1/3 in a point that is not bad,
    epsilon; 0, or a number below 1 with at most nine decimals of which the last is not
    0, as 0.1."""

    number: Annotated[StrictInt, Field(ge=1, le=1_000_000_000)]
    """Points drawn for each database."""


class Reconstruction(Section):
    """Attacks that rebuild a binary database from noisy counts of subsets of it.

    Every number of entries, formula of queries and of errors, law of noise, share of
    outliers and repeat makes one database. An analysis has either `attacks`, or
    `points`, which are counted in place of an attack.
    """

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    attacks: (
        Annotated[tuple[AttackName, ...], Field(min_length=1), Different()] | None
    ) = None
    """How the database is rebuilt - `exponential` tries all databases, up to 30
    entries; `linear` takes the largest and the least sum that the answers allow;
    `least_squares` is the fastest; `l1` withstands outliers; `determined` proves
    entries one by one; `hadamard` asks structured queries in place of random ones, in
    whole rounds of the next power of two above the number of entries."""

    database: Random | DrawnDatabase = Random(random=Chance(density="0.5"))
    """Where entries come from - by chance, or from a release; without it by chance, 0
    and 1 alike. They are in no result."""

    entries: Annotated[tuple[EntriesNumber, ...], Field(min_length=1), Different()]
    """Numbers of entries, n."""

    queries: Annotated[tuple[QueriesFormula, ...], Field(min_length=1), Different()]
    """How many queries are asked, as formulas of n, rounded up, as `n*log2(n)**2`, with
    numbers, n, + - * / ** and sqrt, log (natural), log2, log10, ceil, floor, min and
    max; each asks for a random subset. `all` asks for every subset once, up to 30
    entries."""

    errors: Annotated[tuple[BoundFormula, ...], Field(min_length=1), Different()]
    """How far an answer may be from the exact one, E, as formulas of n, as
    `0.5*sqrt(n)`; lowered to what the noise can reach - a multiple of 2^-20, a whole
    number of integer noise and `rounding`, half of one of `adversarial`. With
    `rounding`, half of the base."""

    assumed_error: Text | None = None
    """How far attacks take an answer to be from the exact one, as a formula of n like
    those of `errors`, or a number; without it as far as the noise reaches. If it is too
    small, no database may fit the answers (`infeasible`), or another than the true
    one."""

    noises: Annotated[tuple[Law, ...], Field(min_length=1), Different()] = ("uniform",)
    """Laws of the noise within E - `uniform`, real numbers; `uniform_integer`;
    `adversarial`, answers that two databases as far apart as possible could have given;
    `rounding` to multiples of a base, which is twice what `errors` gives and must be a
    whole number; or `{truncated_geometric: ln 3}`, whole numbers with chances that fall
    by exp(-epsilon)."""

    outliers: Annotated[tuple[Outliers, ...], Field(min_length=1), Different()] = ("0",)
    """Shares of the answers that are any number from 0 to n in place of the exact one
    with noise."""

    repeats: Annotated[StrictInt, Field(ge=1, le=10_000)] = 1
    """Databases of each setting."""

    limit_s: Annotated[StrictInt, Field(ge=1, le=1_000_000)] = 600
    """Seconds that an attack may take for a database; then it ends as `not solved` and
    claims nothing, or of `determined` what it had proven. A result that does so may
    differ on another machine. The clock is looked at before every block of queries, not
    within a pass of `exponential` over all databases."""

    points: Points | None = None
    """Random points of a grid to count, by whether they are bad (far from the database)
    and whether the answers allow them (Nepomuceno, Table 3). Of up to 64 entries."""

    @property
    def settings(self) -> SettingsGrid:
        """One database each."""
        return SettingsGrid(
            entries=self.entries,
            queries=self.queries,
            errors=self.errors,
            noises=tuple(map(_noise, self.noises)),
            outliers=self.outliers,
            repeats=self.repeats,
        )

    def checked(self, where: str) -> Self:
        """Refuse keys that contradict one another, or mean nothing."""
        _check_kind(self, where)
        _check_settings(self, where)
        with refused_in(where):
            for n in self.entries if self.assumed_error else ():
                assumed_bound(str(self.assumed_error), n)
        return self

    @property
    def needs(self) -> Iterator[Need]:
        of = self.database
        if isinstance(of, DrawnDatabase):
            yield of.table, of.release, (of.attribute,)


def _noise(law: str | Geometric) -> Noise:
    if isinstance(law, str):
        return Noise(law)
    return Noise(TRUNCATED_GEOMETRIC, Epsilon.parse(law.truncated_geometric).text)


def _definitions() -> Any:
    """Return what formulas and noise are by: only these analyses wait for kernels."""
    from microleak.attacks.reconstruction.definitions import (  # noqa: PLC0415
        limits,
        noise,
    )

    return limits, noise


def assumed_bound(text: str, n: int) -> float:
    """Return the bound E of a formula of n, lowered to a multiple of 2**-20.

    >>> assumed_bound("0.25*sqrt(n)", 16)
    1.0
    """
    limits, laws = _definitions()
    value = limits.Formula(text, "assumed_error").value(n)
    most = laws.LARGEST_BOUND
    if value > most:
        raise StudyError(
            f"The formula {text!r} is {value:.10g} for n = {n}: it must be from 0 to "
            f"{most}. Correct assumed_error of the reconstruction analysis in the "
            "study file."
        )
    # Not lowered further, as that of the noise is: who attacks may not know the law.
    return float(laws.on_grid(value))


SECTION = Reconstruction


def read_one(context: Context, section: Reconstruction) -> Reconstruction:
    where = context.where(section)
    section.checked(where)
    if isinstance(section.database, DrawnDatabase):
        _check_drawn(context, section.database, where)
    return section


def _check_drawn(context: Context, drawn: DrawnDatabase, where: str) -> None:
    release = context.release(drawn.table, drawn.release, where)
    if drawn.attribute in release.definition.identifiers:
        raise StudyError(
            f"{where}: {drawn.attribute} identifies persons or records, so its values "
            "make no database. Give another attribute."
        )
    release.check_released((drawn.attribute,))
    what = f"equals of {drawn.attribute}"
    release.check_possible((drawn.equals,), drawn.attribute, what)


def _check_kind(section: Reconstruction, where: str) -> None:
    given = section.model_fields_set
    kinds = [key for key in ("attacks", "points") if key in given]
    if len(kinds) != 1:
        found = "both attacks and points" if kinds else "neither attacks nor points"
        raise StudyError(
            f"{where} has {found}. Give one: attacks rebuild the database, points are "
            "counted in place of that."
        )
    mixed = [key for key in OF_ATTACKS if key in given]
    if section.points and mixed:
        raise StudyError(
            f"{where} has both points and {mixed[0]}, which only attacks can have. "
            "Remove one of them."
        )
    _check_entries(section, where)
    _check_all(section, where)


def _check_entries(section: Reconstruction, where: str) -> None:
    attacks = section.attacks or ()
    bounds = {
        "points": (section.points is not None, MOST_OF_POINTS),
        f"attack {EXPONENTIAL}": (EXPONENTIAL in attacks, MOST_TRIED),
        f"queries {ALL}": (ALL in section.queries, MOST_TRIED),
    }
    largest = max(section.entries)
    for what, (is_asked, most) in bounds.items():
        if is_asked and largest > most:
            raise StudyError(
                f"{where}: entries has {largest}, and {what} can have at most {most}. "
                "Lower entries, or remove the other."
            )


def _check_all(section: Reconstruction, where: str) -> None:
    asked = (*section.model_fields_set, *(section.attacks or ()))
    others = [key for key in asked if key in NOT_ALL]
    if others and ALL in section.queries:
        raise StudyError(
            f"{where}: queries has {ALL!r}, and {others[0]} cannot ask for that. Give "
            "formulas of n."
        )


def _check_settings(section: Reconstruction, where: str) -> None:
    for law in section.noises:
        if not isinstance(law, str):
            _check_epsilon(law.truncated_geometric, where)
    settings = section.settings
    if len(settings) > MOST_DATABASES:
        raise StudyError(
            f"{where} has {len(settings):,} databases, more than {MOST_DATABASES:,}. "
            "Give fewer repeats, entries, queries, errors, noises or outliers."
        )
    _check_formulas(settings, where)


def _check_different(values: Sequence[object], where: str, alike: str) -> None:
    for place, value in enumerate(values, 1):
        first = values.index(value) + 1
        if first < place:
            raise StudyError(
                f"{where}: the {ordinal(first)} and the {ordinal(place)} {alike}. "
                "Remove one of them."
            )


def _check_epsilon(text: str, where: str) -> None:
    try:
        Epsilon.parse(text)
    except StudyError:
        # What it says is for mechanism analyses, whose key is `epsilons`.
        raise StudyError(
            f"{where}: {TRUNCATED_GEOMETRIC} of noises has the epsilon "
            f"{text[:MOST_CHARACTERS]!r}: {EXPECTED}, from {LEAST} to {MOST}. Correct "
            "noises of the reconstruction analysis in the study file."
        ) from None


def _check_formulas(settings: SettingsGrid, where: str) -> None:
    with refused_in(where):
        asked = [_numbers_asked(text, settings) for text in settings.queries]
        bounds = [_bounds(text, settings) for text in settings.errors]
    alike = "are equal for every number of entries"
    _check_different(asked, f"{where}: queries", alike)
    _check_different(bounds, f"{where}: errors", f"{alike} and noise")


def _numbers_asked(text: str, settings: SettingsGrid) -> list[int]:
    if text == ALL:
        return [1 << n for n in settings.entries]
    limits, _ = _definitions()
    formula = limits.Formula(text, "queries")
    return [limits.n_queries(formula, n) for n in settings.entries]


def _bounds(text: str, settings: SettingsGrid) -> list[float]:
    limits, laws = _definitions()
    formula = limits.Formula(text, "errors")
    values = [formula.value(n) for n in settings.entries]
    return [
        laws.distinct_bound(noise.law, value, noise.alpha)
        for noise in settings.noises
        for value in values
    ]
