"""A policy as its file gives it: what an adversary knows, and limits of numbers."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from gettext import gettext as _
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    model_validator,
)

from microleak.base.errors import StudyError, did_you_mean
from microleak.study.tables import result_tables
from microleak.study_file.faults import fault_sentence
from microleak.study_file.schema import plain_schema
from microleak.study_file.section import (
    SHARE_FORM,
    AnyAttributes,
    Attributes,
    Different,
    Name,
    NotEmpty,
    Positive,
    Section,
    Text,
    refuse,
)
from microleak.study_file.yaml import read_yaml
from microleak.tables.spec import TableSpec


def _checked_bound(text: str) -> str:
    # 0.09 is less than 1/11, so that a rounded share is another limit.
    if not re.search(SHARE_FORM, text):
        refuse('must be a whole number, or a fraction in quotes, as "1/11".')
    return text


Bound = Annotated[Text, AfterValidator(_checked_bound)]
OneOrMore = Annotated[
    tuple[Text, ...],
    BeforeValidator(lambda given: given if isinstance(given, list) else [given]),
]
Rows = dict[NotEmpty, OneOrMore]
Day = Annotated[str, BeforeValidator(str), Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class KnownFacts(Section):
    """What an adversary is taken to know."""

    any: Positive | None = None
    """Any so many facts at most."""

    sets: Annotated[tuple[Attributes, ...], Different()] = ()
    """Sets of facts, each with all of its parts."""

    def has(self, qids: str) -> bool:
        """Say whether an adversary may know a set, joined as in result tables."""
        known = {*filter(None, qids.split("|"))}
        if self.any is not None and len(known) > self.any:
            return False
        return not self.sets or any(known <= {*each} for each in self.sets)


class Limit(Section):
    """A limit that the numbers of a column of a result table keep."""

    name: Name
    """Its name, by which exceptions and results speak of it."""

    measure: Annotated[str, Field(pattern=r"^[a-z_]+\.[a-z_0-9]+$")]
    """A result table and its column, as `anonymity.k_anonymity`; where the table has
    the ends of its interval, the end that is worse has to keep the limit."""

    at_most: Bound | None = None
    """The largest that it may be."""

    at_least: Bound | None = None
    """The least that it may be, in the place of `at_most`, as the k of k-anonymity."""

    where: Rows = Field({})
    """Rows that count, by the values of columns, as `{attack: CRS}`."""

    facts: KnownFacts | None = None
    """What an adversary knows, in the place of the policy's `facts`."""

    severity: Literal["error", "warn"] = "error"
    """Whether the check fails if it is not kept, or only says so."""

    source: NotEmpty | None = None
    """Where the limit comes from."""

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if (self.at_most is None) == (self.at_least is None):
            refuse("must give exactly one of at_most and at_least.")
        return self

    @property
    def is_upper(self) -> bool:
        """Whether it is the largest number that is kept, and not the least."""
        return self.at_most is not None

    @property
    def bound(self) -> Fraction:
        return Fraction(self.at_most or self.at_least or 0)

    @property
    def table(self) -> str:
        return self.measure.partition(".")[0]

    @property
    def column(self) -> str:
        return self.measure.partition(".")[2]

    def keeps(self, number: float) -> bool:
        """Say whether a number of a table keeps it; both are rounded once."""
        bound = float(self.bound)
        return number <= bound if self.is_upper else number >= bound


class AcceptedRows(Section):
    """Rows that may break a limit."""

    limit: Name
    """Name of the limit."""

    where: Rows = Field({})
    """Which rows, by the values of columns; all of them without it."""

    why: NotEmpty
    """Why they may."""

    who: NotEmpty
    """Who decided so."""

    until: Day
    """The last day on which it holds, as 2027-12-31."""


class Policy(Section):
    """Limits that a release keeps, tried by `microleak check`."""

    version: Literal[1]
    """How this file is to be read."""

    name: NotEmpty
    """What the policy is called."""

    legal_basis: NotEmpty | None = None
    """The law or the rule that it follows."""

    release: Literal["public", "controlled"] | None = None
    """For whom the release is."""

    facts: KnownFacts = KnownFacts()
    """What an adversary knows; rows of other sets of facts do not count."""

    sensitive: AnyAttributes = ()
    """Sensitive attributes that count, all of them without it."""

    limits: Annotated[tuple[Limit, ...], Field(min_length=1)]
    """The limits; all are tried, whatever comes of the first."""

    accept: tuple[AcceptedRows, ...] = ()
    """Exceptions, each with its reason and its last day."""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [limit.name for limit in self.limits]
        for name in names:
            if names.count(name) > 1:
                refuse(f"has two limits called {name}. Give one another name.")
        for each in self.accept:
            if each.limit not in names:
                like = did_you_mean(each.limit, names)
                refuse(f"has an exception of {each.limit}, which is no limit.{like}")
        for each in self.accept:
            try:
                date.fromisoformat(each.until)
            except ValueError:
                refuse(f"has an exception until {each.until}, which is no day.")
        known = (self.facts, *(limit.facts for limit in self.limits if limit.facts))
        for name in (n for facts in known for each in facts.sets for n in each):
            if name in self.sensitive:
                refuse(f"has {name} as a fact and as sensitive. Remove it from one.")
        for limit in self.limits:
            _check_measure(limit)
            excused = (each.where for each in self.accept if each.limit == limit.name)
            for where in (limit.where, *excused):
                _check_columns(where, limit.table)
        return self

    @property
    def every_set(self) -> list[Attributes]:
        """The sets of facts of all limits; empty if one of them is of any facts."""
        known = [limit.facts or self.facts for limit in self.limits]
        every = [each for facts in known for each in facts.sets]
        return every if all(facts.sets for facts in known) else []

    @property
    def most_facts(self) -> int:
        """How many facts an adversary knows at most; 0 if that has no bound."""
        known = [(limit.facts or self.facts).any for limit in self.limits]
        return max((n or 0 for n in known), default=0) if all(known) else 0

    def counts(self, limit: Limit, row: Mapping[str, object]) -> bool:
        """Say whether a row of a table is one that a limit is about."""
        facts = limit.facts or self.facts
        if "qids" in row and not facts.has(str(row["qids"])):
            return False
        sensitive = str(row.get("sensitive") or "")
        if self.sensitive and sensitive and sensitive not in self.sensitive:
            return False
        return are_in(limit.where, row)


def are_in(where: Rows, row: Mapping[str, object]) -> bool:
    return all(str(row[name]) in values for name, values in where.items())


def _check_measure(limit: Limit) -> None:
    """Refuse a measure that no table has, and columns that it has not."""
    specs = result_tables()
    if limit.table not in specs:
        like = did_you_mean(limit.table, specs)
        refuse(f"has a measure of the table {limit.table}, which there is not.{like}")
    spec = specs[limit.table]
    numbers = [column.name for column in spec.columns if column.is_number]
    if limit.column not in numbers:
        like = did_you_mean(limit.column, numbers)
        refuse(f"has a measure {limit.measure}: no number of that table.{like}")


def _check_columns(where: Rows, table: str) -> None:
    names = result_tables()[table].names
    for name in where:
        if name not in names:
            like = did_you_mean(name, names)
            refuse(f"has a limit where {name}: no column of {table}.{like}")


def worse_end(limit: Limit, spec: TableSpec) -> str:
    """Return the column that has to keep a limit."""
    end = f"{limit.column}_{'high' if limit.is_upper else 'low'}"
    return end if end in spec.names else limit.column


def read_policy(path: Path) -> Policy:
    return policy_of(read_yaml(path), f"{path}: ")


def policy_of(content: object, where: str = "") -> Policy:
    """Return a policy of what its file says, or refuse it in one line."""
    if not isinstance(content, Mapping):
        said = _("{where}this is not a policy: a policy begins with version: 1.")
        raise StudyError(said, where=where)
    try:
        return Policy.model_validate(content, context={})
    except ValidationError as error:
        schema = plain_schema(Policy)
        said = fault_sentence(error, schema, content, _("the policy"))
    raise StudyError(f"{where}{said}")


def lines_of(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the name of each limit and the line of the file where it stands."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        for found in re.finditer(r"\bname:\s*[\"']?([\w.-]+)", line):
            yield found[1], number
