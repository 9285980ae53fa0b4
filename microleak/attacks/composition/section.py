"""Analyses of several noisy counts with one budget, as the study file gives them."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field

from microleak.base.errors import ordinal, refused_in
from microleak.definitions.epsilon import Epsilon
from microleak.records.compared import Need
from microleak.study_file.section import (
    Attribute,
    Context,
    Different,
    OfRelease,
    Section,
    Text,
    Value,
)


class CountSection(Section):
    """One of the counts."""

    attribute: Attribute
    """Attribute whose values are counted; it may be the sensitive one."""

    values: Annotated[
        tuple[
            Annotated[
                Value,
                Field(description="Values to count, as texts in quotes, or null."),
            ],
            ...,
        ],
        Field(min_length=1),
        Different(),
    ]
    """Records with one of these values are counted; texts in quotes, or null for a
    missing one."""


class Composition(OfRelease):
    """What several noisy counts with one budget leak together.

    The budget of epsilon is split equally: each of the first count, the first two and
    so on is published with its part, by the oblivious mechanism with noise of its own.
    """

    sensitive: Attribute
    """Attribute that the adversary infers; not an identifier of the person or record,
    with 1,000 values at most."""

    counts: Annotated[tuple[CountSection, ...], Field(min_length=1, max_length=50)]
    """The counts, in the order in which the budget is shared by more of them. Of up to
    12, or fewer if the sensitive attribute has more than 64 values, what they leak
    together is exact; of more there is a bound."""

    epsilons: Annotated[
        tuple[
            Annotated[
                Text,
                Field(
                    description="An epsilon is `ln x` with x above 1, or a number "
                    "above 0."
                ),
            ],
            ...,
        ],
        Field(min_length=1),
        Different(),
    ]
    """Budgets of all counts together, as `ln 3`, `ln 3/2`, `ln 10^5` or `0.5`."""

    @property
    def needs(self) -> Iterator[Need]:
        counted = (count.attribute for count in self.counts)
        yield self.table, self.focal, tuple(dict.fromkeys((self.sensitive, *counted)))

    def checked(self, where: str) -> Self:
        for place, text in enumerate(self.epsilons, 1):
            with refused_in(f"{where}: the {ordinal(place)} of epsilons"):
                Epsilon.parse(text)
        return self


SECTION = Composition


def read_one(context: Context, section: Composition) -> Composition:
    release = context.focal(section)
    ((*_, attributes),) = section.needs
    release.check((), attributes)
    for place, count in enumerate(section.counts, 1):
        what = f"the {ordinal(place)} of counts, {count.attribute}"
        release.check_possible(count.values, count.attribute, what)
    return section.checked(release.where)
