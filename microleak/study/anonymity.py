"""How anonymous a table is by the usual models, as tables, from its profiles."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.attacks.diversity import distinct_l
from microleak.attacks.k_anonymity import sizes_in
from microleak.attacks.overlap import overlap
from microleak.attacks.value_histogram import (
    k_anonymity_histogram,
    k_map_histogram,
    l_diversity_histogram,
)
from microleak.columns import ANONYMITY
from microleak.errors import StudyError
from microleak.meanings.measures import ANONYMITY_COLUMNS, COLUMNS
from microleak.progress import progress
from microleak.resources import Resources
from microleak.study.anonymity_models import (
    Measures,
    entity_measures,
    estimates,
    k_measures,
    population_measures,
)
from microleak.study.classes import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    WorstClasses,
)
from microleak.study.profile_file import Profiles, read_profiles
from microleak.study.samples import Anonymity
from microleak.study.subsets import Subset, names_of
from microleak.study.value_measures import measured_values


@dataclass(frozen=True)
class AnonymityFiles:
    """What an analysis is measured from.

    Attributes
    ----------
    people
        Records of the focal release, one a person.
    blocks
        Their profile, with marks (`microleak.study.anonymity_profiling`).
    entities
        Sizes of blocks of entities (`microleak.study.entity_profiling`), or None.
    overlap
        Profile with the population (`microleak.study.overlap_profiling`), or None.
    """

    people: Path
    blocks: Path
    entities: Path | None = None
    overlap: Path | None = None


@dataclass(frozen=True)
class AnonymityTables:
    """The tables of one analysis (docs/results.md describes their columns)."""

    anonymity: pd.DataFrame
    classes: pd.DataFrame


def anonymity_tables(
    files: AnonymityFiles, analysis: Anonymity, resources: Resources
) -> AnonymityTables:
    """Return what anonymity models say of every QID subset.

    Parameters
    ----------
    files
        Profiles are read once or twice, subset by subset. Of the records QIDs and
        sensitive attributes are read, if there are any, and grouped for subsets of
        which the profiles do not say all.
    analysis
        The analysis.
    resources
        Bounds, which change neither table.

    Returns
    -------
    AnonymityTables
        The columns `ANONYMITY`: first of the blocks, then of each sensitive attribute,
        by the number of QIDs and their order in the study file. Counts are exact,
        shares and distances are one division of integers each. And `CLASSES`.

    Raises
    ------
    StudyError
        If the population has fewer records than the table.
    TableError
        If a sensitive attribute has a value that is not in its order.
    MicroleakError
        If memory does not suffice.
    """
    found = _Found(analysis)
    n_population = analysis.n_population
    if files.overlap:
        n_population = found.add_population(files.overlap)
    found.add_blocks(files.blocks, n_population)
    if files.entities:
        found.add_entities(files.entities)
    if analysis.sensitive:
        for key, measures in measured_values(
            files.people, files.blocks, analysis, resources
        ).items():
            found.rows[key] |= measures
    return AnonymityTables(found.table, found.worst.table)


Key = tuple[str, Subset]
"""A sensitive attribute, empty for the blocks themselves, and a subset."""


class _Found:
    """Measures as they are found, and the worst subsets."""

    def __init__(self, analysis: Anonymity) -> None:
        self.rows: dict[Key, Measures] = defaultdict(dict)
        self.worst = WorstClasses(analysis)
        self._analysis = analysis

    def add_population(self, profile: Path) -> int:
        """Add what the population says; return how many records it has."""
        n_population = 0
        for subset, profiles in self._profiles(profile, "measuring the population"):
            both = overlap(profiles[0])
            self.rows["", subset] |= population_measures(both)
            self.worst.add((K_MAP, ""), subset, k_map_histogram(both))
            n_population = both.n_population
        return n_population

    def add_blocks(self, profile: Path, n_population: int | None) -> None:
        """Add what follows from sizes of blocks, and from numbers of values."""
        for subset, profiles in self._profiles(profile, "measuring blocks"):
            sizes = sizes_in(profiles[0])
            self.rows["", subset] |= k_measures(sizes)
            if n_population is not None:
                self._check(n_population, sizes.n_records)
                self.rows["", subset] |= estimates(sizes, n_population)
            self.worst.add((K_ANONYMITY, ""), subset, k_anonymity_histogram(sizes))
            self._add_distinct(subset, profiles)

    def add_entities(self, profile: Path) -> None:
        """Add what follows from the numbers of entities that share a block."""
        for subset, profiles in self._profiles(profile, "measuring entities"):
            sizes = sizes_in(profiles[0])
            self.rows["", subset] |= entity_measures(sizes)
            self.worst.add((K_ENTITIES, ""), subset, k_anonymity_histogram(sizes))

    @property
    def table(self) -> pd.DataFrame:
        """The columns `ANONYMITY`."""
        keys = product(("", *self._analysis.sensitive), self._analysis.subsets)
        rows = [self._which(*key) | self.rows[key] for key in keys]
        return pd.DataFrame(
            {name: _column(name, [row.get(name) for row in rows]) for name in ANONYMITY}
        )

    def _profiles(self, path: Path, step: str) -> Iterator[tuple[Subset, Profiles]]:
        with progress(step, len(self._analysis.subsets)) as advance:
            for subset, profiles in read_profiles(path):
                if subset:
                    yield subset, profiles
                    advance(1)

    def _add_distinct(self, subset: Subset, profiles: Profiles) -> None:
        for i, name in enumerate(self._analysis.sensitive):
            blocks = self.rows["", subset]
            self.rows[name, subset] |= {
                "n_records": blocks["n_records"],
                "n_blocks": blocks["n_blocks"],
                "l_distinct": distinct_l(profiles[i]),
            }
            histogram = l_diversity_histogram(profiles[i])
            self.worst.add((L_DIVERSITY, name), subset, histogram)

    def _check(self, n_population: int, n_records: int) -> None:
        if n_population < n_records:
            analysis = self._analysis
            raise StudyError(
                f"analysis {analysis.name!r}: n_population is {n_population:,}, less "
                f"than the {n_records:,} records of {analysis.table} {analysis.focal}. "
                "Correct population or n_population in the study file."
            )

    def _which(self, sensitive: str, subset: Subset) -> dict[str, Any]:
        names = names_of(subset, self._analysis.qids)
        return {
            "analysis": self._analysis.name,
            "table": self._analysis.table,
            "focal": self._analysis.focal,
            "qids": "|".join(names),
            "n_qids": len(names),
            "sensitive": sensitive,
        }


def _column(name: str, values: list[Any]) -> pd.Series:
    """Return a column as its meaning says, so that counts stay integers."""
    datatype = (COLUMNS | ANONYMITY_COLUMNS)[name].datatype
    if datatype == "integer":
        return pd.Series(values, dtype="Int64")
    if datatype == "number":
        return pd.Series([None if v is None else float(v) for v in values], dtype=float)
    return pd.Series(values, dtype=object)
