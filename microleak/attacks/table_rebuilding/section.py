"""Analyses of tables of counts as the study file gives them."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import Field, StrictInt, model_validator

from microleak.base.errors import StudyError, did_you_mean
from microleak.count_tables.published import Base, PublishedTable, read_tables, shape_of
from microleak.definitions.epsilon import Epsilon
from microleak.records.compared import Need
from microleak.study_file.published import check_different_files
from microleak.study_file.section import (
    AnyAttributes,
    AnyValues,
    Attribute,
    Attributes,
    Different,
    Name,
    Positive,
    Section,
    Share,
    Text,
    refuse,
)

LARGEST_ALPHA: Final = Fraction("0.9990005")
"""That of an epsilon of nearly 0.001: sums of more noise take too long."""


_EVERY_KEY = ("below", "base", "most", "epsilon", "confidence", "seed")
_KEYS = {
    "none": [],
    "suppress": ["below"],
    "round": ["base"],
    "random_round": ["base", "seed"],
    "controlled_round": ["base", "seed"],
    "perturb": ["most", "seed"],
    "cell_key": ["most", "seed"],
    "geometric": ["epsilon", "confidence", "seed"],
}
"""What each method needs."""


class Protect(Section):
    """How tables of a release are protected."""

    method: Literal[
        "none",
        "suppress",
        "round",
        "random_round",
        "controlled_round",
        "perturb",
        "cell_key",
        "geometric",
    ]
    """As they are; with counts from 1 to less than `below` suppressed; rounded to the
    nearest multiple of `base`, halves up; at random to one of the two multiples around,
    so that the count is the mean; so, too, but with totals that add up and are rounded
    alike (`controlled_round`, Cox 1987): of rows, of columns and of all, where the last
    attribute of a crossing has the columns and the others have the rows; with a whole
    number from -`most` to `most` added to each, drawn for each cell of each table; with
    one that follows from keys of the records of the cell (`cell_key`), and so is the
    same wherever the same records are counted, of zeros none and of fewer than `most`
    no more than the count; or with two-sided geometric noise (`geometric`)."""

    below: Base | None = None
    """Of `suppress`."""

    base: Base | None = None
    """Of `round`, `random_round` and `controlled_round`."""

    most: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = None
    """Of `perturb` and `cell_key`."""

    epsilon: Text | None = None
    """Of `geometric`, that of each table each time it is published; those of all tables
    add up."""

    confidence: Share | None = None
    """Of `geometric`, with what chance all that is claimed is to be true, as `"0.95"`:
    noise has no bound, so nothing is proved."""

    seed: Annotated[StrictInt, Field(ge=0)] | None = None
    """What the draws follow from; the adversary does not know it."""

    times: Annotated[StrictInt, Field(ge=1, le=1000)] = 1
    """Of methods with a seed, how often each table is published, with new draws each
    time, of `cell_key` with new keys; `1` is as with a key that stays the same."""

    is_key_known: bool = False
    """Of `cell_key`, whether the key of each cell with records has leaked."""

    @property
    def alpha(self) -> float:
        """Of `geometric`, exp(-epsilon)."""
        return float(Epsilon.parse(self.epsilon or "").alpha)

    @property
    def chance(self) -> float:
        """Chance with which all claims are true, 1 where they are proved."""
        return float(Fraction(self.confidence)) if self.confidence else 1.0

    @property
    def parameters(self) -> dict[str, str]:
        """What an office tells of it: its keys and their values, but not the seed."""
        given = {key: getattr(self, key) for key in _KEYS[self.method] if key != "seed"}
        given |= {"times": self.times} if self.times > 1 else {}
        given |= {"is_key_known": "true"} if self.is_key_known else {}
        return {key: str(value) for key, value in given.items()}

    @model_validator(mode="after")
    def _check(self) -> Self:
        needed = _KEYS[self.method]
        given = [key for key in _EVERY_KEY if getattr(self, key) is not None]
        if given != needed or (self.times > 1 and self.seed is None):
            keys = " and ".join(needed) or "nothing"
            refuse(f"must give {keys} besides method {self.method}.")
        if self.is_key_known and self.method != "cell_key":
            refuse("has is_key_known, which is of method cell_key. Remove it.")
        if self.confidence and not 0 < Fraction(self.confidence) < 1:
            refuse("has a confidence that is not between 0 and 1. Correct it.")
        if self.epsilon:
            try:
                alpha = Epsilon.parse(self.epsilon).alpha
            except StudyError as error:
                refuse(str(error))
            if alpha > LARGEST_ALPHA:
                refuse("has an epsilon below 0.001. Raise it.")
        return self


class MadeTables(Section):
    """Tables of counts that are made of a release, and then attacked."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it."""

    crossings: Annotated[tuple[Attributes, ...], Field(min_length=1), Different()]
    """Attributes that each of the tables crosses, besides `region`. A missing value is
    a value."""

    protect: Protect = Protect(method="none")
    """What is done to their counts, which the adversary knows."""


class TableRebuilding(Section):
    """What tables of counts prove about persons, with proofs that can be checked."""

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    tables: Annotated[tuple[PublishedTable, ...], Field(min_length=1)] | None = None
    """Tables that were published, in any order."""

    release: MadeTables | None = None
    """In their place, tables that are made of a release."""

    region: Attribute | None = None
    """An attribute that all tables have; each of its values is rebuilt by itself."""

    sizes: Annotated[tuple[Positive, ...], Field(min_length=1)] | None = None
    """Numbers of persons that ascend, of `region`: `[1000, 10000]` sums up the regions
    of fewer than 1,000 persons, of 1,000 to 9,999, and of 10,000 or more."""

    known: AnyAttributes = ()
    """Attributes by which an adversary knows everybody of a region: who is alone with
    their values is re-identified where the others are rebuilt."""

    domains: dict[Attribute, AnyValues] = Field({})
    """Of published tables, all values that an attribute can have; without it those that
    the files have."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_one("tables", "release")
        if self.sizes and self.region is None:
            refuse("has sizes, which are those of regions. Give region.")
        if any(first >= second for first, second in pairwise(self.sizes or ())):
            refuse("has sizes that do not ascend. Give each once, the smallest first.")
        if self.region in self.known:
            refuse(f"has {self.region} in known, which is region. Remove it there.")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes of the release that it needs, region first."""
        crossings = self.release.crossings if self.release else ()
        region = () if self.region is None else (self.region,)
        return tuple(dict.fromkeys([*region, *(n for each in crossings for n in each)]))

    def checked(self, where: str) -> Self:
        """Refuse tables that cannot be read, or keys that contradict one another."""
        if self.release:
            if self.domains:
                raise StudyError(
                    f"{where} has both release and domains. Remove domains: values are "
                    "those of the release."
                )
            region = self.region
            alike = [{*crossing} - {region} for crossing in self.release.crossings]
            if set() in alike:
                raise StudyError(
                    f"{where}: a crossing has no attribute but {region}, which is "
                    "region. Add another one, or remove the crossing."
                )
            for place, names in enumerate(alike):
                if names in alike[:place]:
                    raise StudyError(
                        f"{where}: two crossings have the same attributes, "
                        f"{', '.join(sorted(names))}. Remove one."
                    )
            self._check_known(self.attributes, where)
            return self
        check_different_files(self.tables or (), where)
        found, _ = read_tables(self.tables or (), self.region, self.domains, where)
        self._check_known(found, where)
        shape_of(found, self.region, where)
        return self

    def _check_known(self, names: Iterable[str], where: str) -> None:
        there = [name for name in names if name != self.region]
        if unknown := [name for name in self.known if name not in there]:
            raise StudyError(
                f"{where}: known has {unknown[0]}, which no table has."
                f"{did_you_mean(unknown[0], there)} Correct it."
            )

    @property
    def needs(self) -> Iterator[Need]:
        if self.release:
            yield self.release.table, self.release.focal, self.attributes


SECTION = TableRebuilding
