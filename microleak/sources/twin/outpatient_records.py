"""Records of the outpatient files: lines as text, some of them invalid."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.draws import generator, levels, table_of
from microleak.sources.twin.outpatient_lines import Clinic, Lines
from microleak.sources.twin.outpatient_patients import N_AGES
from microleak.sources.twin.text import Text

_ORDER = 22
_OLDEST_LAG = 3


@dataclass(frozen=True)
class Spelling:
    """Texts of the values that differ between records, by position."""

    clinic: Clinic

    @cached_property
    def unit(self) -> Text:
        """Code of each unit."""
        return _texts(self.clinic.units.code, 7)

    @cached_property
    def unit_place(self) -> Text:
        """Code of each unit's municipality."""
        return self.place[self.clinic.units.place]

    @cached_property
    def place(self) -> Text:
        """Code of each municipality."""
        return _texts(self.clinic.population.places.code, 6)

    @cached_property
    def procedure(self) -> Text:
        """Code of each procedure, in the state's order."""
        number = self.clinic.settings["procedures"]["country"]
        rng = generator(0, _ORDER, self.clinic.population.state.code)
        return np.array([_procedure(int(code)) for code in rng.permutation(number)])

    @cached_property
    def age(self) -> Text:
        """Ages in years."""
        return _texts(np.arange(N_AGES), 3)

    def columns(self, lines: Lines, year: int, month: int) -> dict[str, Text]:
        """Columns of lines that are processed in a month, as if all were valid."""
        own = self.clinic.units.place[lines.unit]
        is_away = lines.place != own
        is_abroad = lines.place >= self.clinic.population.places.n_own
        return {
            "PA_CODUNI": self.unit[lines.unit],
            "PA_UFMUN": self.unit_place[lines.unit],
            "PA_CMP": _months(year, month)[lines.lag],
            "PA_PROC_ID": self.procedure[lines.procedure],
            "PA_DOCORIG": np.full(len(own), b"I"),
            "PA_IDADE": self.age[lines.age],
            "PA_SEXO": _SEXES[lines.is_woman.view(np.int8)],
            "PA_RACACOR": _RACES[lines.race],
            "PA_MUNPCN": self.place[lines.place],
            "PA_UFDIF": _FLAGS[is_abroad.view(np.int8)],
            "PA_MNDIF": _FLAGS[is_away.view(np.int8)],
        }

    def spoil(
        self, columns: dict[str, Text], n_valid: int, rng: np.random.Generator
    ) -> None:
        """Make the records after the first `n_valid` invalid, in their arrays."""
        kinds = self.clinic.settings["invalid"]
        weights = [kind["weight"] for kind in kinds]
        which = table_of(np.arange(len(kinds), dtype=np.int16), weights)
        of_line = which[levels(len(columns["PA_IDADE"]) - n_valid, rng)]
        for at, kind in enumerate(kinds):
            spoilt = n_valid + np.flatnonzero(of_line == at)
            for name in kind.keys() - {"weight"}:
                value = kind[name].format(state=self.clinic.population.state.code)
                columns[name][spoilt] = value.encode()


_SEXES = np.array([b"M", b"F"])
_RACES = np.array([f"{code:02}".encode() for code in range(6)])
_FLAGS = np.array([b"0", b"1"])


def _texts(numbers: NDArray[np.int64], width: int) -> Text:
    return np.array([f"{number:0{width}}".encode() for number in numbers.tolist()])


def _months(year: int, month: int) -> Text:
    """Texts of a month and those before it, in six digits."""
    since = year * 12 + month - 1 - np.arange(_OLDEST_LAG + 1)
    return _texts(since // 12 * 100 + since % 12 + 1, 6)


def _procedure(number: int) -> bytes:
    """Ten digits: group, subgroup, form of organisation, number, check digit.

    >>> _procedure(0), _procedure(4499)
    (b'0101010010', b'0405060123')
    """
    rest, group = divmod(number, 8)
    rest, subgroup = divmod(rest, 6)
    rest, form = divmod(rest, 8)
    digit = number * 7 % 10
    head = f"{group + 1:02}{subgroup + 1:02}{form + 1:02}"
    return f"{head}{rest + 1:03}{digit}".encode()
