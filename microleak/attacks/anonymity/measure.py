"""How anonymous a table is by the usual models, as tables, from its profiles."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.attacks.anonymity.definitions.k_anonymity import (
    THRESHOLDS,
    BlockSizes,
    k_anonymity,
    n_below,
    n_unsafe_combinations,
    share_below,
    sizes_in,
)
from microleak.attacks.anonymity.definitions.k_map import (
    delta_presence,
    delta_presence_lower,
    journalist_risk,
    k_map,
    marketer_risk,
    n_below_k_map,
)
from microleak.attacks.anonymity.definitions.population_uniqueness import poisson_gamma
from microleak.attacks.anonymity.definitions.sensitive_values import (
    LOWER_BOUNDS,
    ValueHistogram,
    distinct_l,
    k_anonymity_histogram,
    k_map_histogram,
    l_diversity_histogram,
)
from microleak.attacks.anonymity.known import known_blocks
from microleak.attacks.anonymity.section import Anonymity
from microleak.attacks.anonymity.values import measured_values
from microleak.base.arrays import QidMask
from microleak.base.errors import StudyError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.overlap import Overlap, overlap
from microleak.records.chunks import Given
from microleak.records.profile_file import Profiles, read_profiles
from microleak.records.subsets import names_of, which
from microleak.tables.rows import as_table
from microleak.tables.spec import PANDAS, tables_of

TABLES = tables_of("microleak.attacks.anonymity")

ModelMeasures = dict[str, int | float | Fraction | None]
"""Measures by column; None where a model says nothing."""


def k_measures(sizes: BlockSizes) -> ModelMeasures:
    """Return k, and what of the table violates it, as different tools count it."""
    return {
        "n_records": sizes.n_records,
        "n_blocks": sizes.total_blocks,
        "k_anonymity": k_anonymity(sizes),
        "prosecutor_risk": Fraction(1, k_anonymity(sizes)),
        **{f"n_below_{k}": n_below(sizes, k) for k in THRESHOLDS},
        **{f"share_below_{k}": share_below(sizes, k) for k in THRESHOLDS},
        **{
            f"n_unsafe_combinations_{k}": n_unsafe_combinations(sizes, k)
            for k in THRESHOLDS
        },
    }


def entity_measures(sizes: BlockSizes) -> ModelMeasures:
    """Return k over entities, from the numbers of entities that share a block."""
    return {
        "n_entities": sizes.n_records,
        "n_entity_blocks": sizes.total_blocks,
        "k_anonymity_entities": k_anonymity(sizes),
        **{f"n_entities_below_{k}": n_below(sizes, k) for k in THRESHOLDS},
        **{f"share_entities_below_{k}": share_below(sizes, k) for k in THRESHOLDS},
    }


def population_measures(both: Overlap) -> ModelMeasures:
    n_below = {k: n_below_k_map(both, k) for k in THRESHOLDS}
    return {
        "k_map": k_map(both),
        **{f"n_below_k_map_{k}": n for k, n in n_below.items()},
        **{
            f"share_below_k_map_{k}": Fraction(n, both.n_sample)
            for k, n in n_below.items()
        },
        "delta_presence_min": delta_presence_lower(both),
        "delta_presence_max": delta_presence(both),
        "n_population": both.n_population,
        "n_sample_unique": both.where(both.d == 1).total_blocks,
        "n_unique_both": n_alone_in_both(both),
        "journalist_risk": journalist_risk(both),
        "marketer_risk": marketer_risk(both),
    }


def bounded_measures(least: Overlap, most: Overlap) -> ModelMeasures:
    """Return between what the measures are, as each falls or rises with each block."""
    found: ModelMeasures = {}
    for name, low, high in (("least", least, most), ("most", most, least)):
        found[f"k_map_{name}"] = k_map(low)
        for k in THRESHOLDS:
            found[f"n_below_k_map_{k}_{name}"] = n_below_k_map(high, k)
        found[f"n_unique_both_{name}"] = n_alone_in_both(high)
        found[f"marketer_risk_{name}"] = marketer_risk(high)
    found["delta_presence_most"] = delta_presence(least)
    return found


def n_alone_in_both(both: Overlap) -> int:
    return both.where((both.n == 1) & (both.d == 1)).total_blocks


LEAST_SHARE = Fraction(1, 10)  # That is sampled, of which an estimate is told


def estimates(sizes: BlockSizes, n_population: int) -> ModelMeasures:
    # Below a tenth single samples were a hundred times off (docs/validation.md).
    is_near = LEAST_SHARE * n_population <= sizes.n_records
    found = poisson_gamma(sizes, n_population) if is_near else None
    return {
        "n_population": n_population,
        "n_sample_unique": sizes.count(1),
        "posterior_unique": found.posterior_unique if found else None,
        "posterior_match": found.posterior_match if found else None,
    }


K_ANONYMITY, K_ENTITIES = "k-anonymity", "k-anonymity of entities"
L_DIVERSITY, K_MAP = "l-diversity", "k-map"
CLASS_MODELS = (K_ANONYMITY, K_ENTITIES, L_DIVERSITY, K_MAP)

ModelOfAttribute = tuple[str, str]
"""A model, and the sensitive attribute if it is of one, else empty."""


class WorstClasses:
    """Keeps, of each model and number of QIDs, the worst subset's histogram."""

    # That is the one with most records in the lowest bucket, of those with as many in
    # it most in the next, and so on; among equals the first in the study file's order.

    def __init__(self, analysis: Anonymity) -> None:
        self.analysis = analysis
        self._places = {s: place for place, s in enumerate(analysis.subsets)}
        # By model and attribute, and by number of QIDs
        self._worst: dict[Any, tuple[QidMask, ValueHistogram]] = {}

    def add(
        self, family: ModelOfAttribute, subset: QidMask, histogram: ValueHistogram
    ) -> None:
        key = family, subset.bit_count()
        if key not in self._worst or self._rank(subset, histogram) > self._rank(
            *self._worst[key]
        ):
            self._worst[key] = subset, histogram

    def _rank(self, subset: QidMask, histogram: ValueHistogram) -> tuple[int, ...]:
        found = zip(histogram.lower.tolist(), histogram.n_records.tolist(), strict=True)
        n_records = dict.fromkeys(LOWER_BOUNDS, 0) | dict(found)
        return *n_records.values(), -self._places[subset]

    @property
    def table(self) -> pd.DataFrame:
        sensitive = ("", *self.analysis.sensitive)

        def rank(key: tuple[ModelOfAttribute, int]) -> tuple[int, int, int]:
            (model, attribute), n_qids = key
            return CLASS_MODELS.index(model), sensitive.index(attribute), n_qids

        keys = sorted(self._worst, key=rank)
        rows = [row for key in keys for row in self._rows(key[0], *self._worst[key])]
        return as_table(TABLES["classes"], rows)

    def _rows(
        self, family: ModelOfAttribute, subset: QidMask, histogram: ValueHistogram
    ) -> Iterator[dict[str, Any]]:
        model, sensitive = family
        of_subset = which(self.analysis, names_of(subset, self.analysis.qids))
        of_subset |= {"model": model, "sensitive": sensitive}
        columns = {
            "lower": histogram.lower.tolist(),
            "upper": histogram.upper.tolist(),
            "n_blocks": histogram.n_blocks.tolist(),
            "n_records": histogram.n_records.tolist(),
            "share_of_blocks": map(float, histogram.share_of_blocks),
            "share_of_records": map(float, histogram.share_of_records),
        }
        for values in zip(*columns.values(), strict=True):
            yield of_subset | dict(zip(columns, values, strict=True))


@dataclass(frozen=True)
class AnonymityFiles:
    """What an analysis is measured from."""

    people: Given  # Records of the focal release, one a person
    blocks: Path  # Their profile, with marks (`microleak.attacks.anonymity.blocks`)
    # Sizes of blocks of entities (`microleak.attacks.anonymity.entities`), or None
    entities: Path | None = None
    # Profile with the population (`microleak.records.profile_file`), or None
    overlap: Path | None = None


def anonymity_tables(
    files: AnonymityFiles, analysis: Anonymity, resources: Resources
) -> dict[str, pd.DataFrame]:
    # Profiles are read once or twice, subset by subset; records are read and grouped
    # for subsets of which the profiles do not say all.
    found = _MeasuresFound(analysis)
    n_population = analysis.n_population
    if files.overlap:
        n_population = found.add_population(files.overlap)
    for subset, blocks in known_blocks(files.people, analysis, resources):
        found.add_bounds(subset, *blocks)
    found.add_blocks(files.blocks, n_population)
    if files.entities:
        found.add_entities(files.entities)
    if analysis.sensitive:
        for key, measures in measured_values(
            files.people, files.blocks, analysis, resources
        ).items():
            found.rows[key] |= measures
    return {"anonymity": found.table, "classes": found.worst.table}


def check_size(analysis: Anonymity, n_population: int, n_records: int) -> None:
    if n_population < n_records:
        raise StudyError(
            f"analysis {analysis.name!r}: n_population is {n_population:,}, less "
            f"than the {n_records:,} records of {analysis.table} {analysis.focal}. "
            "Correct population or n_population in the study file."
        )


class _MeasuresFound:
    def __init__(self, analysis: Anonymity) -> None:
        # By sensitive attribute, empty for the blocks themselves, and subset
        self.rows: dict[tuple[str, QidMask], ModelMeasures] = defaultdict(dict)
        self.worst = WorstClasses(analysis)
        self._analysis = analysis

    def add_population(self, profile: Path) -> int:
        """Add what the population says; return how many records it has."""
        n_population = 0
        for subset, profiles in self._profiles(profile, "measuring the population"):
            both = overlap(profiles[0])
            self.add_bounds(subset, both, both)
            n_population = both.n_population
        return n_population

    def add_bounds(self, subset: QidMask, least: Overlap, most: Overlap) -> None:
        """Add what is known of the population: all of it where both are the same."""
        self.rows["", subset] |= bounded_measures(least, most)
        if least is most:
            self.rows["", subset] |= population_measures(least)
            self.worst.add((K_MAP, ""), subset, k_map_histogram(least))

    def add_blocks(self, profile: Path, n_population: int | None) -> None:
        """Add what follows from sizes of blocks, and from numbers of values."""
        for subset, profiles in self._profiles(profile, "measuring blocks"):
            sizes = sizes_in(profiles[0])
            self.rows["", subset] |= k_measures(sizes)
            if n_population is not None:
                check_size(self._analysis, n_population, sizes.n_records)
                self.rows["", subset] |= estimates(sizes, n_population)
            self.worst.add((K_ANONYMITY, ""), subset, k_anonymity_histogram(sizes))
            self._add_distinct(subset, profiles)

    def add_entities(self, profile: Path) -> None:
        for subset, profiles in self._profiles(profile, "measuring entities"):
            sizes = sizes_in(profiles[0])
            self.rows["", subset] |= entity_measures(sizes)
            self.worst.add((K_ENTITIES, ""), subset, k_anonymity_histogram(sizes))

    @property
    def table(self) -> pd.DataFrame:
        keys = product(("", *self._analysis.sensitive), self._analysis.subsets)
        rows = [
            which(self._analysis, names_of(subset, self._analysis.qids))
            | {"sensitive": sensitive}
            | self.rows[sensitive, subset]
            for sensitive, subset in keys
        ]
        spec = TABLES["anonymity"]
        types = {column.name: PANDAS[column.type] for column in spec.columns}
        return pd.DataFrame(rows, columns=spec.names).astype(types)

    def _profiles(self, path: Path, step: str) -> Iterator[tuple[QidMask, Profiles]]:
        with progress(step, len(self._analysis.subsets)) as advance:
            for subset, profiles in read_profiles(path):
                if subset:
                    yield subset, profiles
                    advance(1)

    def _add_distinct(self, subset: QidMask, profiles: Profiles) -> None:
        for i, name in enumerate(self._analysis.sensitive):
            blocks = self.rows["", subset]
            self.rows[name, subset] |= {
                "n_records": blocks["n_records"],
                "n_blocks": blocks["n_blocks"],
                "l_distinct": distinct_l(profiles[i]),
            }
            histogram = l_diversity_histogram(profiles[i])
            self.worst.add((L_DIVERSITY, name), subset, histogram)
