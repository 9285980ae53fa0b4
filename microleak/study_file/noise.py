"""Noise of a public report as a study file gives it."""

from fractions import Fraction
from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from microleak.study_file.section import Key, NotEmpty, Section, Text

EpsilonText = Annotated[
    Text,
    Field(
        pattern=r"^(\d{1,3}|\d{0,3}\.\d{1,6}|\d{1,6}/\d{0,5}[1-9]\d{0,5})$",
        description='An epsilon in quotes, as `"0.5"` or `"1/2"`; above 0.',
    ),
]
"""A text of a fraction: noise is drawn in whole numbers, so it is no logarithm."""


class NoiseSection(Section):
    """Noise of the counts of a public report.

    The page has the counts of docs/decisions/0030-private-counts.md, which are
    differentially private, and nothing else of the records.
    """

    epsilon: EpsilonText
    """What the whole page may tell of one person, as `"1/2"`. All counts share it
    alike. One person more or fewer makes no page more than exp(epsilon) times as likely
    as before."""

    key: NotEmpty
    """A file of 32 bytes or more that nobody else can read, as `microleak key FILE`
    writes it, not below results/. The noise follows from it, from
    the study's name and from the records: with the key anyone can subtract the noise,
    and without it the page cannot be made again. Keep it apart from what is published,
    and back it up. The path is relative to the folder that the command is run in."""

    spent: dict[Key, EpsilonText] = Field({})
    """Epsilons of earlier publications on the same persons, by the names of their
    studies, as `{census-2023: "1/2"}`. They add up; the page says the sum. Running a
    study again with another epsilon, key or analysis is a further publication, which
    needs a name of its own."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not all(self.every):
            said = "has an epsilon of 0, with which nothing can be told. Correct it."
            raise PydanticCustomError("sentence", "{said}", {"said": said})
        return self

    @property
    def every(self) -> tuple[Fraction, ...]:
        """The epsilons of earlier publications, and last that of this one."""
        return tuple(map(Fraction, (*self.spent.values(), self.epsilon)))

    def account(self, study: str) -> dict[str, Fraction]:
        """Return the epsilon of each publication, the study's own last."""
        return dict(zip((*self.spent, study), self.every, strict=True))

    def settings(self) -> dict[str, Any]:
        """Return what decides of the noise, but for the content of the key."""
        return self.model_dump(mode="json")
