"""Made-up patients, and the lines of procedure of their visits.

So nothing is kept of them, and a patient is the same in every month.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import (
    LEVELS,
    Levels,
    Table,
    level,
    levels,
    table_of,
)
from papers.twins.outpatient.units import (
    Keys,
    Outpatient,
    Places,
    State,
    Units,
    mixed,
)

N_AGES = 130


class Patients(NamedTuple):
    """The patient of each of n visits."""

    age: Table  # In years
    is_woman: NDArray[np.bool_]  # Whether the patient is one
    race: Table  # Official code, 1 to 5
    place: NDArray[np.int64]  # Position of the home municipality
    usual: Levels  # Level of the usual procedure among the unit's


@dataclass(frozen=True)
class Population:
    """Whom the patients of a state are drawn from."""

    state: State
    places: Places
    settings: Outpatient

    @cached_property
    def ages(self) -> Table:
        """Quantiles of the age in years."""
        bands = self.settings["ages"]
        years = [np.arange(first, last + 1) for first, last, _ in bands]
        weights = [np.full(last + 1 - first, each) for first, last, each in bands]
        return table_of(np.concatenate(years).astype(np.int16), np.concatenate(weights))

    @cached_property
    def races(self) -> Table:
        """Quantiles of the race that patients declare."""
        shares = self.settings["races"][self.state.code // 10]
        return table_of(np.arange(1, 6, dtype=np.int16), shares)

    @cached_property
    def elsewhere(self) -> Table:
        """Quantiles of the municipality of those who are not from the unit's."""
        weight = self.places.weight
        return table_of(np.arange(len(weight), dtype=np.int16), weight)

    def patients(
        self, units: Units, unit: NDArray[np.int64], number: NDArray[np.uint64]
    ) -> Patients:
        """Patients of these units, by their numbers there.

        A usual procedure that follows from age does so in another way in each
        unit, but its law is the same as if it did not.
        """
        who = mixed(units.key[unit] + number)
        more = mixed(who)
        age = _bits(who, 0)
        is_home = _bits(more, 0) < level(self.state.home)
        by_age = age + _bits(units.key[unit], 1)
        is_aged = _bits(more, 1) < level(self.settings["aged"])
        return Patients(
            age=self.ages[age],
            is_woman=_bits(who, 1) < level(self.settings["women"]),
            race=self.races[_bits(who, 2)],
            place=np.where(
                is_home, units.place[unit], self.elsewhere[_bits(who, 3)]
            ).astype(np.int64),
            usual=np.where(is_aged, by_age, _bits(more, 2)),
        )


def _bits(keys: Keys, part: int) -> Levels:
    """One of the four levels that random bits hold."""
    return (keys >> np.uint64(16 * part)).astype(np.uint16)


Positions = NDArray[np.int64]
"""Position of each record's value in the attribute's table of texts."""


class Lines(NamedTuple):
    """Records as positions, one array an attribute, each of shape (n_records,)."""

    # Positions
    unit: Positions
    procedure: Positions
    age: Positions
    is_woman: NDArray[np.bool_]  # Whether the patient is one
    race: Positions  # Official code, 1 to 5
    place: Positions
    lag: Positions  # Months from the procedure to its processing


@dataclass(frozen=True)
class Clinic:
    """What all lines of a state's year follow from."""

    population: Population  # Whom patients are drawn from
    units: Units  # Where they go
    n_lines: NDArray[np.int64]  # Valid lines of each unit in the year

    @property
    def settings(self) -> Outpatient:
        """Parameters of the twin."""
        return self.population.settings

    @cached_property
    def n_patients(self) -> NDArray[np.uint64]:
        """Patients of each unit."""
        each = self.population.state.lines * self.settings["visits"]
        number: NDArray[np.float64] = np.maximum(1, np.rint(self.n_lines / each))
        return number.astype(np.uint64)

    @cached_property
    def lags(self) -> Table:
        """Quantiles of the months from a procedure to its processing."""
        return _quantiles(np.array(self.settings["lag"]))

    @cached_property
    def ranks(self) -> Table:
        """Quantiles of a unit's procedures but its most frequent, by their rank."""
        law = self.settings["procedures"]
        return _quantiles(1 / (np.arange(law["unit"]) + law["unit_flat"]))

    @cached_property
    def popularity(self) -> Table:
        """Quantiles of the procedures but the state's most frequent, position 0."""
        law = self.settings["procedures"]
        others = np.arange(law["country"] - 1)
        return _quantiles(1 / (others + law["country_flat"])) + np.int16(1)

    def lines(
        self, unit: Positions, n_lines: NDArray[np.int64], rng: np.random.Generator
    ) -> Lines:
        """Lines of these units, so many of each, in their order.

        Lines that follow one another in a unit are of one visit, or begin another.
        """
        state = self.population.state
        of_line = np.repeat(unit, n_lines)
        is_first = levels(len(of_line), rng) < level(1 / state.lines)
        is_first |= np.diff(of_line, prepend=-1) != 0
        visit = np.cumsum(is_first) - 1
        at = of_line[is_first]
        patients = self.population.patients(self.units, at, self._numbers(at, rng))
        is_usual = levels(len(of_line), rng) < level(state.usual)
        draw = np.where(is_usual, patients.usual[visit], levels(len(of_line), rng))
        return Lines(
            unit=of_line,
            procedure=self._procedures(of_line, draw),
            age=patients.age[visit].astype(np.int64),
            is_woman=patients.is_woman[visit],
            race=patients.race[visit].astype(np.int64),
            place=patients.place[visit],
            lag=self.lags[levels(len(at), rng)][visit].astype(np.int64),
        )

    def _numbers(self, unit: Positions, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Draw for each visit the number of a patient of its unit."""
        point = rng.integers(0, 1 << 32, len(unit), dtype=np.uint32)
        return point.astype(np.uint64) * self.n_patients[unit] >> np.uint64(32)

    def _procedures(self, unit: Positions, draw: Levels) -> Positions:
        """Position of the procedure that a level stands for in each unit."""
        modal = self.units.modal[unit].astype(np.int64)
        above = draw - modal
        rest = np.maximum(above, 0) * LEVELS // (LEVELS - modal)
        rank = np.where(above < 0, 0, self.ranks[rest].astype(np.int64) + 1)
        which = mixed(self.units.key[unit] ^ mixed(rank.astype(np.uint64)))
        found = self.popularity[(which >> np.uint64(48)).astype(np.int64)]
        return np.where(rank == 0, self.units.procedure[unit], found)


def _quantiles(weights: NDArray[np.float64]) -> Table:
    return table_of(np.arange(len(weights), dtype=np.int16), weights)
