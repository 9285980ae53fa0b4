"""Analyses of answers to queries as the study file gives them."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from microleak.attacks.query_answers.published import (
    AnswerFile,
    WholeRange,
    read_answers,
)
from microleak.base.errors import StudyError
from microleak.records.compared import Need
from microleak.study_file.published import check_different_files
from microleak.study_file.section import (
    AnyValues,
    Attribute,
    Attributes,
    Different,
    Name,
    Section,
    Text,
)

AnsweredStatistic = Annotated[
    Literal["count", "sum", "mean", "median", "min", "max", "variance"],
    Field(description="A count of the persons, or a statistic of their values."),
]
ExtremeKind = Annotated[
    Literal["sum", "max", "min"],
    Field(description="What is asked of the values of some records."),
]
Digits = Annotated[StrictInt, Field(ge=0, le=6)]
BoundedInteger = Annotated[StrictInt, Field(ge=-(10**9), le=10**9)]


class Crossing(Section):
    """Statistics of the groups that some attributes form."""

    by: Attributes
    """Attributes whose values form the groups, besides `region`. A missing value is a
    value."""

    statistics: Annotated[
        tuple[AnsweredStatistic, ...], Field(min_length=1), Different()
    ]
    """What is published of each group: `count`, `sum`, `mean`, `median`, `min`, `max`
    and `variance` (divided by the count, not by one less), of the persons whose value
    is not missing."""


class Answered(Section):
    """Statistics that are made of a release, and then attacked."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it."""

    crossings: Annotated[tuple[Crossing, ...], Field(min_length=1)]
    """What is published."""

    digits: Digits = 1
    """To how many digits after the point means and variances are rounded, halves up;
    other statistics are as they are."""

    below: WholeRange | None = None
    """Groups of fewer persons are suppressed."""


class Audit(Section):
    """Queries that an auditor answers or refuses."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it."""

    records: Annotated[StrictInt, Field(ge=1, le=20)]
    """Records of each small table, drawn at random. All tables that values from `least`
    to `most` allow are tried, 1,048,576 at most."""

    samples: Annotated[StrictInt, Field(ge=1, le=1000)] = 20
    """How many small tables are drawn."""

    queries: Annotated[StrictInt, Field(ge=1, le=1000)] = 20
    """Queries of each, one after the other, each of a random subset of the records."""

    kinds: Annotated[tuple[ExtremeKind, ...], Field(min_length=1), Different()] = (
        "sum",
        "max",
        "min",
    )
    """What is asked: the `sum`, `max` or `min` of the values, at random."""

    tolerated_pct: Annotated[StrictInt, Field(ge=0, le=99)] = 0
    """The simulatable auditor refuses a query if the answer would disclose a value in
    more than so many percent of the tables that the answers before allow. With `0` it
    answers nothing: the least answer that bounds allow always discloses."""

    seed: Annotated[StrictInt, Field(ge=0)]
    """What the draws follow from."""


class QueryAnswers(Section):
    """What answers to queries give away of a number that each person has.

    Statistics of groups prove values, with proofs that can be checked; or an auditor
    refuses queries that would, and refusals tell, too.
    """

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    attribute: Attribute
    """Attribute that is a number. Persons without it are not counted."""

    least: BoundedInteger
    """Least value that it can have, as is known to everybody."""

    most: BoundedInteger
    """Largest value."""

    decimals: Digits = 0
    """Digits after the point that values have; `0` are whole numbers."""

    tables: Annotated[tuple[AnswerFile, ...], Field(min_length=1)] | None = None
    """Tables that were published, in any order."""

    release: Answered | None = None
    """In their place, statistics that are made of a release."""

    audit: Audit | None = None
    """In their place, queries on small tables drawn from a release."""

    region: Attribute | None = None
    """An attribute that all groups have, with 10,000 values at most; each value is
    looked at by itself."""

    domains: dict[Attribute, AnyValues] = Field({})
    """Of published tables, all values that an attribute can have; without it those that
    the files have."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_one("tables", "release", "audit")
        said = ""
        if self.most < self.least:
            said = "has a most below least. Correct one of them."
        elif self.audit and self.audit_size > MOST_DATABASES:
            said = (
                f"has more than {MOST_DATABASES:,} tables of {self.audit.records} "
                "records with values from least to most. Give fewer records, or a most "
                "nearer to least."
            )
        elif self.domains and not self.tables:
            said = "has domains, which only tables need. Remove domains."
        elif self.region and self.audit:
            said = "has region, which an audit does not need. Remove region."
        if said:
            raise PydanticCustomError("sentence", "{said}", {"said": said})
        return self

    @property
    def scale(self) -> int:
        """How many units of the last digit 1 has; values are counted in them."""
        return int(10**self.decimals)

    @property
    def n_values(self) -> int:
        """How many values there are from `least` to `most`."""
        return (self.most - self.least) * self.scale + 1

    @property
    def audit_size(self) -> int:
        """How many small tables there can be."""
        return int(self.n_values**self.audit.records) if self.audit else 0

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes that groups of a release are of, region first."""
        crossings = self.release.crossings if self.release else ()
        region = () if self.region is None else (self.region,)
        return tuple(dict.fromkeys([*region, *(n for c in crossings for n in c.by)]))

    def checked(self, where: str) -> Self:
        """Refuse tables that cannot be read, or groups by what they are of."""
        if self.tables:
            check_different_files(self.tables, where)
            read_answers(self.tables, self.region, self.domains, where)
        if self.attribute in self.attributes:
            raise StudyError(
                f"{where}: {self.attribute} is attribute, and groups are formed by it, "
                "too. Remove it from by or region."
            )
        return self

    @property
    def needs(self) -> Iterator[Need]:
        if of := self.release or self.audit:
            yield of.table, of.focal, (*self.attributes, self.attribute)


MOST_DATABASES = 1 << 20
"""Tables of an audit that are tried, at most."""


SECTION = QueryAnswers
