"""Made-up patients: all of one follows from the unit's bits and a number.

So nothing is kept of them, and a patient is the same in every month.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.draws import Levels, Table, level, table_of
from microleak.sources.twin.outpatient_parameters import Outpatient, State
from microleak.sources.twin.outpatient_units import Keys, Places, Units, mixed

N_AGES = 130


class Patients(NamedTuple):
    """The patient of each of n visits.

    Attributes
    ----------
    age
        In years.
    is_woman
        Whether the patient is one.
    race
        Official code, 1 to 5.
    place
        Position of the home municipality.
    usual
        Level of the usual procedure among the unit's.
    """

    age: Table
    is_woman: NDArray[np.bool_]
    race: Table
    place: NDArray[np.int64]
    usual: Levels


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
