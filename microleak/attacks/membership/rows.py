"""Which rows of membership measures are told and drawn, and how they are grouped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from microleak.tables import rows as tables
from microleak.tables.spec import tables_of

PERSONS_OF = ("sample", "population")
"""Whose persons `measures/presence` counts, in the order of the page."""

CHANCES = (0, 1, 2, 5, 10, 20, 50, 100)
"""Percent at which classes of the chance of presence begin, as they are shown."""

CERTAIN = CHANCES[-1]

DIFFERING = ("n_not_found", "n_blocks_in_excess")
"""Columns that are 0 of a sample that is part of its population, as both are coded."""

FURTHER = ("rough_membership", "designs", "answers", "fingerprints")
"""Tables that an analysis has only if it asks for them."""

_FITTING = (0, 1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class MembershipRows:
    """The tables of one analysis, texts never missing."""

    measures: pd.DataFrame  # `measures/membership`, every subset
    # `measures/presence` and `measures/uniques`, worst subset of each size
    presence: pd.DataFrame
    uniques: pd.DataFrame
    # `measures/rough_membership` and the others of these names
    rough: pd.DataFrame
    designs: pd.DataFrame
    answers: pd.DataFrame
    fingerprints: pd.DataFrame

    @property
    def further(self) -> dict[str, pd.DataFrame]:
        tables = (self.rough, self.designs, self.answers, self.fingerprints)
        return dict(zip(FURTHER, tables, strict=True))

    @property
    def worst(self) -> pd.DataFrame:
        """Measures of the worst subset of each size, by rising size."""
        # The other two tables say which these are.
        is_worst = self.measures["qids"].isin(self.presence["qids"])
        return self.measures[is_worst].sort_values("n_qids", ignore_index=True)

    @property
    def told(self) -> pd.Series:
        """The worst row with the highest chance, with the fewest QIDs among equals."""
        # It need not be one of all QIDs: persons whose answers differ from the
        # population's are lost where more is compared.
        worst = self.worst
        return worst.loc[worst["posterior_person"].idxmax()]

    @property
    def worst_roughly(self) -> pd.DataFrame:
        """What is known roughly of the worst subsets, by rising size."""
        return self.of_worst(self.rough)

    def of_worst(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of another table of the worst subsets, by rising size."""
        is_worst = rows["qids"].isin(self.worst["qids"])
        found = rows[is_worst]
        return found.sort_values("n_qids", kind="stable", ignore_index=True)

    @property
    def half(self) -> pd.Series:
        """The worst row with the fewest QIDs that reaches half of that chance."""
        worst, told = self.worst, self.told
        return worst[worst["posterior_person"] >= told["posterior_person"] / 2].iloc[0]

    @property
    def refuting(self) -> pd.Series | None:
        """A row by which the sample is not known to be part of its population."""
        # None if with every subset everybody of the sample is found, and no block has
        # more persons of the sample: only then is who is alone in both tables certainly
        # one person. It is the told row if that has such numbers, else that with most
        # of them.
        told, numbers = self.told, self.measures[[*DIFFERING]]
        is_differing = (numbers > 0).any(axis=1)
        rows = self.measures[is_differing]
        if rows.empty or rows["qids"].eq(told["qids"]).any():
            return None if rows.empty else told
        return rows.loc[numbers[is_differing].sum(axis=1).idxmax()]

    def persons(self, row: pd.Series, persons_of: str) -> "Iterator[PersonClass]":
        """Yield how many persons of one table have which chance, with one subset."""
        rows = self.presence[
            (self.presence["qids"] == row["qids"])
            & (self.presence["persons_of"] == persons_of)
        ]
        for lower, upper, within in _classes(rows, "bin", CHANCES):
            number = int(within["n_records"].sum())
            share = number / row[f"n_{persons_of}"]
            yield PersonClass(lower, upper, number, share)

    def fitting(self, row: pd.Series) -> "Iterator[Fitting]":
        """Yield how many sample uniques of one subset fit how many persons."""
        rows = self.uniques[self.uniques["qids"] == row["qids"]]
        for lower, upper, within in _classes(rows, "n_fitting", _FITTING):
            last = None if upper is None else upper - 1
            yield Fitting(lower, last, int(within["n_sample_unique"].sum()))


@dataclass(frozen=True)
class PersonClass:
    """Persons of one table whose chance to be in the sample is in a class."""

    # Percent, the upper one without
    lower: int
    upper: int | None
    n_records: int
    share: float


@dataclass(frozen=True)
class Fitting:
    """Sample uniques whose values a number of the population's persons has."""

    # That number, both within
    lower: int
    upper: int | None
    n_sample_unique: int


def _classes(
    rows: pd.DataFrame, column: str, bounds: Sequence[int]
) -> Iterator[tuple[int, int | None, pd.DataFrame]]:
    """Yield each class of a column's values: its bounds and its rows."""
    place = np.searchsorted(bounds, rows[column].to_numpy(int), "right") - 1
    for number, (lower, upper) in enumerate(
        zip(bounds, (*bounds[1:], None), strict=True)
    ):
        yield lower, upper, rows[place == number]


def membership(
    measures: pd.DataFrame,
    presence: pd.DataFrame,
    uniques: pd.DataFrame,
    further: Mapping[str, pd.DataFrame] | None = None,
) -> MembershipRows:
    """Return the tables of one analysis, however they were read."""
    # Those of `FURTHER` are given by their names.
    known, specs = further or {}, tables_of("microleak.attacks.membership")
    others = [known[n] if n in known else specs[n].frame([]) for n in FURTHER]
    return MembershipRows(
        *map(tables.with_text, (measures, presence, uniques, *others))
    )
