"""How a sample was drawn, and which of its records are of one class, as given."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass as validated
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from microleak.attacks.membership.definitions.fingerprints import Answering
from microleak.base.errors import StudyError
from microleak.study_file import section
from microleak.study_file.printed import PrintedFile
from microleak.study_file.published import MISSING, Form, cells_of, read_rows
from microleak.study_file.totals import COUNT

PERSONS, POISSON, CLUSTERS = "persons", "poisson", "clusters"  # Ways to draw a sample
FRACTION = "fraction"  # What the file of strata may say of each, beside a count

_AMOUNTS = {
    COUNT: r"\d{1,15}",
    FRACTION: r"\d{1,15}|\d{0,15}\.\d{1,15}|\d{1,15}/\d{0,14}[1-9]\d{0,14}",
}


def _refuse(said: str) -> None:
    raise PydanticCustomError("sentence", "{said}", {"said": said})


@validated(frozen=True)
class Strata:
    """How much is drawn of each stratum."""

    amount: str  # `count` or `fraction`
    names: tuple[tuple[str, ...], ...]
    amounts: tuple[str, ...]
    """Values of each stratum, the empty text for a missing one, and how much is drawn
    of it, as a text."""

    @cached_property
    def exact(self) -> Mapping[tuple[str, ...], Fraction]:
        """The amount of each stratum."""
        return dict(zip(self.names, map(Fraction, self.amounts), strict=True))


class DesignSection(section.Section):
    """How a sample was drawn: what of each stratum, and who answers."""

    strata: section.AnyAttributes = ()
    """Attributes of the population of which each combination of values is a stratum;
    the whole population is one if there are none."""

    clusters: section.AnyAttributes = ()
    """Of `stages: clusters` - attributes of the population of which each combination
    of values is a cluster of its stratum, as the school."""

    stages: Literal["persons", "poisson", "clusters"] = "persons"
    """What is drawn in each stratum - `persons` without replacement, persons each by
    itself (`poisson`), or `clusters` without replacement, and then each person of a
    drawn one by itself with the chance `within`."""

    fraction: section.Share | None = None
    """Share of the persons of each stratum, or of its clusters, that is drawn, as
    `"0.1"`; of numbers of them, a half is rounded up."""

    by_stratum: section.NotEmpty | PrintedFile | None = None
    """A CSV file of what is drawn of each stratum, in the place of `fraction`: a header
    of the names of `strata`, and `fraction` or `count`, how many; then a line for each
    stratum. `(missing)` is a missing value, and `*` or an empty cell a total, which
    must be the sum. The path is relative to the folder that the command is run in. Of
    counts as an office printed them, `file` and `printed`."""

    within: Annotated[
        section.Share,
        Field(
            description="Of `stages: clusters` - chance that a person of a drawn "
            'cluster is drawn, as `"0.9"` or `"9/10"`.'
        ),
    ] = "1"

    response: Annotated[
        section.Share,
        Field(
            description="Chance that somebody who is drawn answers, each by itself, as "
            '`"0.9"` or `"9/10"`.'
        ),
    ] = "1"

    published: section.AnyAttributes | None = None
    """Those of `strata` and `clusters` that the sample has, too, with the same values;
    `strata` if it is left out. QIDs always are."""

    drawn: SkipJsonSchema[Strata | None] = None
    """What the file of `by_stratum` says."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        is_by_file = self.by_stratum is not None or self.drawn is not None
        if (self.fraction is None) != is_by_file:
            _refuse("must give exactly one of fraction and by_stratum.")
        if is_by_file and not self.strata:
            _refuse("has by_stratum without strata. Name their attributes in strata.")
        if (self.stages == CLUSTERS) != bool(self.clusters):
            _refuse("must give clusters if stages is clusters, and only then.")
        if self.stages != CLUSTERS and Fraction(self.within) != 1:
            _refuse("has within, and stages is not clusters. Remove one of them.")
        for name in ("fraction", "within", "response"):
            share = getattr(self, name)
            if share is not None and Fraction(share) > 1:
                _refuse(f"has a share in {name} above 1. Correct it.")
        for name in self.published or ():
            if name not in (*self.strata, *self.clusters):
                _refuse(
                    f"has {name} in published, which is neither in strata nor in "
                    "clusters. Correct it."
                )
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.strata, *self.clusters)))

    def told_with(self, qids: Sequence[str]) -> tuple[str, ...]:
        told = self.strata if self.published is None else self.published
        return tuple(name for name in self.attributes if name in (*told, *qids))

    def hidden_from(self, qids: Sequence[str]) -> tuple[str, ...]:
        told = self.told_with(qids)
        return tuple(name for name in self.attributes if name not in told)

    def read(self, where: str) -> Self:
        """Return the design with what its file says."""
        if self.by_stratum is None:
            return self
        drawn = read_strata(self.by_stratum, self.strata, where)
        return self.model_copy(update={"drawn": drawn})


class FingerprintSection(section.Section):
    """Which records of the sample are of one class, and how members answer."""

    cluster: section.Attributes
    """Attributes of the population that say of which class a person is."""

    labels: section.AnyAttributes = ()
    """Attributes of the sample, by its own names, of which each combination of values
    is a class, whatever it is called there; those of `cluster` if they are left out."""

    within: section.AnyAttributes = ()
    """Attributes that population and sample have, as the state, of which a class of the
    sample has the values of its class of the population."""

    response: Annotated[
        section.Share,
        Field(
            description="Chance that a member of a class that was drawn answers, each "
            'by itself, as `"0.9"` or `"9/10"`.'
        ),
    ] = "1"

    misreport: Annotated[
        section.Share,
        Field(
            description="Chance that an answer is not what the population says of the "
            'person, but like that of anybody of both tables, as `"0.9"` or '
            '`"9/10"`.'
        ),
    ] = "0"

    truth: section.Attribute | None = None
    """Attribute of the sample that says which class of the population it is, of one
    attribute of `cluster`. It is not used to recognise classes, but to count how often
    they are recognised rightly."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name in ("response", "misreport"):
            if Fraction(getattr(self, name)) > 1:
                _refuse(f"has a share in {name} above 1. Correct it.")
        if self.truth is not None and len(self.cluster) > 1:
            _refuse(
                "has truth, and several attributes in cluster. Name one there that "
                "says of which class a person is, or remove truth."
            )
        return self

    @property
    def labels_or_cluster(self) -> tuple[str, ...]:
        """Attributes of the sample that tell its classes apart."""
        return self.labels or self.cluster

    @property
    def answering(self) -> Answering:
        return Answering(Fraction(self.response), Fraction(self.misreport))


def read_strata(
    given: str | Path | PrintedFile, strata: Sequence[str], where: str
) -> Strata:
    """Return how much a file says is drawn of each stratum."""
    # No message has the content of a cell.
    path = Path(given.file if isinstance(given, PrintedFile) else given)
    printed = given.printed if isinstance(given, PrintedFile) else None
    where = f"{where}: by_stratum"
    said = f"{where}: {path}"
    numbers = {name: text for name, text in _AMOUNTS.items() if name not in strata}
    form = Form(numbers, attributes=strata, printed=printed)
    rows = cells_of(read_rows(path, form, where), said)
    amounts = {name for row in rows for name in row.numbers}
    if {*rows[0].values} != {*strata} or len(amounts) > 1:
        raise StudyError(
            f"{said}: line 1 must have {', '.join(strata)} and either "
            f"{' or '.join(numbers)}. Correct it."
        )
    (amount,) = amounts
    if amount == FRACTION:
        for row in rows:
            if Fraction(row.numbers[FRACTION]) > 1:
                raise StudyError(
                    f"{said}: line {row.line} has a fraction above 1. Correct it."
                )
    return Strata(
        amount,
        tuple(
            tuple("" if row.values[n] == MISSING else row.values[n] for n in strata)
            for row in rows
        ),
        tuple(row.numbers[amount] for row in rows),
    )
