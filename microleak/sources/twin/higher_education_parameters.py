"""Parameters of the Higher Education Census twin."""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.settings import Settings, read_settings


class HigherEducation(Settings):
    """All parameters, by the names of higher_education.yaml."""

    @cached_property
    def kinds(self) -> list[str]:
        """Kinds of course, in order: public and private, presence and distance."""
        return list(self["courses"])

    def of_kinds(self, name: str) -> NDArray[Any]:
        """One parameter of every kind of course."""
        return np.array([self["courses"][kind][name] for kind in self.kinds])

    def of_institutions(self, name: str) -> NDArray[Any]:
        """One parameter of every kind of institution."""
        return np.array([kind[name] for kind in self["institutions"]])


@lru_cache(maxsize=1)
def higher_education() -> HigherEducation:
    """Parameters of higher_education.yaml and country.yaml."""
    return HigherEducation(read_settings("higher_education"))
