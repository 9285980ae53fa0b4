"""Noise of a public report as a study file gives it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Self

from pydantic import Field, StrictInt, model_validator

from microleak.definitions.laplace import least_epsilon
from microleak.definitions.vectors import SENSITIVITY, Statistic
from microleak.study_file.section import (
    Attribute,
    Attributes,
    Different,
    Key,
    NotEmpty,
    Section,
    Text,
    refuse,
)

FULL = "full"
"""All QIDs of an analysis."""

EPSILON_FORM = "^([0-9]{1,2}|[0-9]{0,2}[.][0-9]{1,12}|[0-9]{1,7}/[1-9][0-9]{0,6})$"
EpsilonText = Annotated[
    Text,
    Field(
        pattern=EPSILON_FORM,
        description='An epsilon is a number above 0 in quotes, as `"0.5"` or `"1/2"`, '
        "with a point and at most twelve digits behind it.",
    ),
]
"""A text of a fraction: noise is drawn in whole numbers, so it is no logarithm."""

GroupText = Annotated[
    Attribute,
    Field(
        description='Values are texts in quotes, as "1"; they have neither control '
        "characters nor `|` and do not begin as a formula does."
    ),
]
Weight = Annotated[StrictInt, Field(ge=1, le=1000)]


class NoiseSection(Section):
    """Noise of the counts of a public report.

    The page has counts that are differentially private, and nothing else of the
    records (docs/public.md).
    """

    epsilon: EpsilonText | None = None
    """What the whole page may tell of one person, as `"1/2"`. One person more or fewer
    makes no page more than exp(epsilon) times as likely as before. Gives exactly one of
    `epsilon` and `within`."""

    within: Annotated[StrictInt, Field(ge=1, le=10**9)] | None = None
    """How far a count may be from the true one, with a chance of 95%; epsilon is then
    the least that keeps each so near. The nearer, the larger it is: the page says how
    large, which is to be read before it is published."""

    key: NotEmpty
    """A file that `microleak key FILE` makes, not below results/; its path is from the
    folder that the command is run in (docs/public.md)."""

    spent: dict[Key, EpsilonText] = Field({})
    """Epsilons of earlier publications on the same persons, by the names of their
    studies, as `{census-2023: "1/2"}`. They add up; the page says the sum. Running a
    study again with another epsilon, key or analysis is a further publication, which
    needs a name of its own."""

    shown: Annotated[tuple[Text | Attributes, ...], Different()] = ()
    """Facts that a reader is supposed to know, in sets, as `[full, classmate, [SEX,
    AGE]]` - `full` for all QIDs of an analysis, a scenario by its name, or QIDs.
    Without it these are the scenarios, or else `full`. Each set has a part of epsilon:
    name few, and before you see results."""

    block_sizes: bool = True
    """Whether blocks are counted by the class of their size (1, 2 to 4, 5 to 9, 10 to
    99, 100 or more); else only those of one person, which costs half as much epsilon
    as the classes."""

    groups: dict[
        Attribute,
        Annotated[tuple[GroupText, ...], Field(min_length=1), Different()],
    ] = Field({})
    """Groups by which those who are alone are counted, by what `risk_groups` analyses
    group by: all values, as `{SEX: [F, M]}`, or classes. They are declared here,
    because a list that is found in the records would tell of them; all others are
    counted together."""

    weights: dict[Statistic, Weight] = Field({})
    """How much of epsilon counts of a kind have, beside 1 of all other kinds, as
    `{right_guesses: 2}`."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_one("epsilon", "within")
        if not all(map(Fraction, filter(None, (*self.spent.values(), self.epsilon)))):
            refuse("has an epsilon of 0, with which nothing can be told. Correct it.")
        return self

    def split(
        self, statistics: Sequence[Statistic]
    ) -> tuple[Fraction, dict[Statistic, Fraction]]:
        """Return the epsilon of a page, and the part of each number by its statistic.

        A vector of weight *w* and sensitivity *s* costs *w* times *s* of their sum over
        all vectors, and each of its numbers has *w* of it (Laplace mechanism on the L1
        norm; Dwork, McSherry, Nissim and Smith 2006, Proposition 1).
        """
        weights = {each: self.weights.get(each, 1) for each in statistics}
        total = sum(weights[each] * SENSITIVITY[each] for each in statistics)
        if self.within:
            least = Fraction(min(weights.values()), total)
            epsilon = least_epsilon(self.within, least)
        else:
            epsilon = Fraction(self.epsilon or 0)
        return epsilon, {each: epsilon * w / total for each, w in weights.items()}

    def settings(self) -> dict[str, Any]:
        """Return what decides of the noise, but for the content of the key."""
        return self.model_dump(mode="json")
