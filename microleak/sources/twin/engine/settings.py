"""Parameters of a twin by name, read from its file and the country's."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from microleak.base.package_data import package_yaml
from microleak.sources.twin.engine.draws import Table, table_of

_HERE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Settings:
    """Parameters of one twin, by the names of its file and of country.yaml."""

    settings: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

    @property
    def years(self) -> list[int]:
        """Years that the twin has, sorted."""
        return sorted(self["members"])

    def first_year(self, year: int) -> int:
        """First of the years whose students can be linked with those of `year`."""
        first, last = self["linked_years"]
        return int(first) if first <= year <= last else year

    def is_linked(self, year: int) -> bool:
        """Whether students keep their identifier from and to other years."""
        first, last = self["linked_years"]
        return bool(first <= year <= last)


def read_settings(name: str) -> dict[str, Any]:
    """Parameters of NAME.yaml and country.yaml, which are data of this package."""
    files = (_HERE / "country.yaml", _HERE / f"{name}.yaml")
    country, own = map(package_yaml, files)
    return {**country, **own}


def age_law(regular: int, bands: list[list[float]]) -> Table:
    """Quantiles of the age in years, uniform within each band of offsets."""
    ages = [
        (regular + offset, share / (last - first + 1))
        for first, last, share in bands
        for offset in range(int(first), int(last) + 1)
    ]
    values, shares = zip(*ages, strict=True)
    return table_of(np.array(values, dtype=np.int16), np.array(shares))
