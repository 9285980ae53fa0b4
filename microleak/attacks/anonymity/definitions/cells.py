"""Blocks of a sample as cells of a table, and how many persons each stands for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from microleak.base.arrays import Floats, Integers
from microleak.definitions.exact import kind_sums

QidSet = frozenset[int]
"""Some of the QIDs, by their places."""


def numbered(codes: Integers) -> Integers:
    """Return the number of each row among the different ones, in their order.

    >>> numbered(np.array([[1, 0], [0, 9], [1, 0]]))
    array([1, 0, 1])
    """
    number = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        both = number * (int(column.max(initial=0)) + 1) + column
        number = np.unique(both, return_inverse=True)[1]
    return number


@dataclass(frozen=True, eq=False)
class Cells:
    """Blocks of a sample, sorted by their codes.

    Sums over cells are taken in this order, so that they are the same bytes whatever
    the order of records or the number of threads.
    """

    codes: Integers
    """Codes of the QIDs' values, shape (n_cells, n_qids), from 0."""
    n: Integers
    """Records of each cell, f, from 1."""
    weight: Floats
    """Persons of the population that these stand for, the sum of their weights."""
    _numbers: dict[QidSet, Integers] = field(default_factory=dict, init=False)

    @property
    def n_qids(self) -> int:
        """How many QIDs tell the cells apart."""
        return len(self.codes.T)

    @cached_property
    def n_records(self) -> int:
        """Records of the sample, n."""
        return int(self.n.sum())

    @cached_property
    def n_population(self) -> float:
        """Persons of the population, N: the sum of the weights."""
        return float(self.weight.sum())

    @property
    def fraction(self) -> Floats:
        """Share of a cell's persons who are sampled, pi, in ]0, 1]."""
        return np.minimum(self.n / self.weight, 1.0)

    def numbers(self, places: Iterable[int]) -> Integers:
        """Return which cell of a margin each cell is in, by the order of its codes.

        Time O(n log n) for the first call with the same places.
        """
        wanted = frozenset(places)
        if wanted not in self._numbers:
            self._numbers[wanted] = numbered(self.codes[:, sorted(wanted)])
        return self._numbers[wanted]

    def records_in(self, places: Iterable[int]) -> Integers:
        """Return the records of each cell of a margin."""
        numbers = self.numbers(places)
        return kind_sums(numbers, self.n, int(numbers.max()) + 1)

    def persons_in(self, places: Iterable[int]) -> Floats:
        """Return the persons of each cell of a margin, as weights say.

        >>> codes = np.array([[0, 0], [0, 1], [1, 0]])
        >>> Cells(codes, np.array([1, 1, 2]), np.array([5.0, 2.0, 9.0])).persons_in([0])
        array([7., 9.])
        """
        return np.bincount(self.numbers(places), self.weight).astype(np.float64)


ROUNDS, SETTLED = 1000, 1e-10
"""Rounds of raking at most, and the largest relative difference that is none."""


@dataclass(frozen=True)
class Raked:
    """Cells whose weights have the published margins, and how nearly."""

    cells: Cells
    """The cells."""
    largest_difference: float
    """Of any published count of a cell that the sample has, relative to it."""


def raked(cells: Cells, published: Mapping[QidSet, Floats]) -> Raked:
    """Return weights that have published margins, by iterative proportional fitting.

    Weights are multiplied by the same factor within each cell of a margin, margin by
    margin, until all are met (Deming and Stephan 1940; of survey weights: raking).
    Associations that no margin tells stay those of the sample.

    Parameters
    ----------
    cells
        Cells of the sample, whose weights are the first ones.
    published
        Of each margin the persons of its cells, by the number that `Cells.numbers`
        gives them; above 0. Cells of which the sample has nobody are left out.

    Returns
    -------
    Raked
        After at most `ROUNDS` rounds. Margins that contradict each other, or that the
        sample's cells cannot have together, leave a difference.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> four = Cells(codes, np.ones(4, int), np.ones(4))
    >>> ages = {frozenset([0]): np.array([6.0, 2.0]), frozenset([1]): np.array([4, 4])}
    >>> raked(four, ages).cells.weight
    array([3., 3., 1., 1.])
    """
    weight, difference = cells.weight, np.inf
    for _ in range(ROUNDS):
        difference = 0.0
        for places, persons in published.items():
            numbers = cells.numbers(places)
            factor = persons / np.bincount(numbers, weight)
            difference = max(difference, float(np.abs(factor - 1).max()))
            weight = weight * factor[numbers]
        if difference < SETTLED:
            break
    found = replace(cells, weight=weight)
    largest = max(
        float(np.abs(found.persons_in(places) / persons - 1).max())
        for places, persons in published.items()
    )
    return Raked(found, largest)


def cells_of(codes: Sequence[Integers], weight: Integers, unit: int) -> Cells:
    """Return the cells of records.

    Parameters
    ----------
    codes
        Codes of each QID, shape (n_records,), from 0.
    weight
        The weight of each record in whole units, summed exactly.
    unit
        Units of a person.

    Examples
    --------
    >>> three = cells_of([np.array([1, 0, 1])], np.array([15, 20, 10]), 10)
    >>> three.n, three.weight
    (array([1, 2]), array([2. , 2.5]))
    """
    every = np.column_stack(codes).astype(np.int64)
    number = numbered(every)
    first = np.unique(number, return_index=True)[1]
    persons = kind_sums(number, weight, len(first))
    return Cells(every[first], np.bincount(number), persons / unit)
