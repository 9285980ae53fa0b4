"""Lines of procedure of some units in a month: visits, and what was done there."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.draws import LEVELS, Levels, Table, level, levels, table_of
from microleak.sources.twin.outpatient_parameters import Outpatient
from microleak.sources.twin.outpatient_patients import Population
from microleak.sources.twin.outpatient_units import Units, mixed

Positions = NDArray[np.int64]
"""Position of each record's value in the attribute's table of texts."""


class Lines(NamedTuple):
    """Records as positions, one array an attribute, each of shape (n_records,).

    Attributes
    ----------
    unit, procedure, age, place
        Positions.
    is_woman
        Whether the patient is one.
    race
        Official code, 1 to 5.
    lag
        Months from the procedure to its processing.
    """

    unit: Positions
    procedure: Positions
    age: Positions
    is_woman: NDArray[np.bool_]
    race: Positions
    place: Positions
    lag: Positions


@dataclass(frozen=True)
class Clinic:
    """What all lines of a state's year follow from.

    Attributes
    ----------
    population
        Whom patients are drawn from.
    units
        Where they go.
    n_lines
        Valid lines of each unit in the year.
    """

    population: Population
    units: Units
    n_lines: NDArray[np.int64]

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
