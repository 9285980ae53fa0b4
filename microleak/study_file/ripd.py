"""What a study file says for the impact report: who answers, how bad, how likely."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from microleak.base.errors import check_known
from microleak.study_file.context import Context
from microleak.study_file.section import Attribute, NotEmpty, Section, Share, refuse

RiskLevel = Annotated[
    Literal[5, 10, 15], Field(description="5 for low, 10 for moderate, 15 for high.")
]


class AgentsSection(Section):
    """Who answers for the processing; what is left out is marked as to be filled in."""

    controller: NotEmpty | None = None
    """Controller (controlador) - who decides about the data (LGPD, art. 5, VI)."""

    operator: NotEmpty | None = None
    """Processor (operador) - who processes them for the controller (art. 5, VII)."""

    officer: NotEmpty | None = None
    """Data protection officer (encarregado, art. 5, VIII)."""

    officer_email: NotEmpty | None = None
    """Electronic address of the officer."""

    officer_phone: NotEmpty | None = None
    """Telephone number of the officer."""


class BandsSection(Section):
    """Up to which measured chance a risk is of low and of moderate probability."""

    low: Share
    """Largest share that makes the probability low."""

    high: Share
    """Largest share that makes it moderate."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not Fraction(self.low) < Fraction(self.high) <= 1:
            refuse("needs low below high, and high at most 1.")
        return self

    def level(self, chance: float) -> int:
        """Return 5, 10 or 15 of a chance.

        Both are the nearest to an exact share, so a chance that is a bound is equal to
        it.

        >>> bands = BandsSection(low="0.01", high="0.1")
        >>> [bands.level(chance) for chance in (0.01, 0.1, 0.11)]
        [5, 10, 15]
        """
        if chance <= float(Fraction(self.low)):
            return 5
        return 10 if chance <= float(Fraction(self.high)) else 15


class RipdSection(Section):
    """What the impact report on the protection of personal data (RIPD) cannot measure.

    All of it may be left out: `microleak ripd` marks it as to be filled in.
    """

    agents: AgentsSection = AgentsSection()
    """Who answers for the processing."""

    need: NotEmpty | None = None
    """Why the report is needed."""

    nature: NotEmpty | None = None
    """How data are collected, stored, processed, used and erased."""

    scope: NotEmpty | None = None
    """What the processing covers - volume, frequency, for how long, which area."""

    context: NotEmpty | None = None
    """Relation to the data subjects, and what they expect."""

    purpose: NotEmpty | None = None
    """What the processing is for."""

    consulted: NotEmpty | None = None
    """Which interested parties were heard, and what they said."""

    necessity: NotEmpty | None = None
    """Legal basis, and why no less would do."""

    probability: BandsSection | None = None
    """Measured chances up to which a risk's probability (P) is low (5) and moderate
    (10), both of them within; above `high` it is high (15). Without them the report
    leaves it open."""

    impact: dict[Attribute, RiskLevel] = Field(default={})
    """Impact (I) on a person whose value is inferred, 5, 10 or 15, by sensitive
    attribute."""

    impact_of_reidentification: RiskLevel | None = None
    """Impact on a person who is re-identified, 5, 10 or 15."""

    impact_of_presence: RiskLevel | None = None
    """Impact on a person of whom it is inferred that a sample has them, 5, 10 or 15."""


def check_ripd(context: Context) -> None:
    """Refuse an impact of an attribute that no analysis infers, with the nearest."""
    inferred = dict.fromkeys(_inferred_attributes(context.earlier.values()))
    for name in context.file.ripd.impact:
        said = f"{context.path}: ripd.impact: no analysis infers"
        edit = " It must be listed under sensitive of an analysis."
        check_known(name, inferred, said, edit)


def _inferred_attributes(families: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Yield the sensitive attributes of all analyses."""
    for analyses in families:
        for analysis in analyses:
            given = getattr(analysis, "sensitive", ()) or ()
            yield from [given] if isinstance(given, str) else given
