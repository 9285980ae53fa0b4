"""Histograms of blocks by size and diversity, for the worst QID subset of each size."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from microleak.attacks.value_histogram import LOWER_BOUNDS, ValueHistogram
from microleak.columns import CLASSES
from microleak.study.samples import Anonymity
from microleak.study.subsets import Subset, names_of

K_ANONYMITY, K_ENTITIES = "k-anonymity", "k-anonymity of entities"
L_DIVERSITY, K_MAP = "l-diversity", "k-map"

MODELS = (K_ANONYMITY, K_ENTITIES, L_DIVERSITY, K_MAP)

Family = tuple[str, str]
"""A model, and the sensitive attribute if it is of one, else empty."""


@dataclass
class WorstClasses:
    """Keeps, of each model and number of QIDs, the worst subset's histogram.

    That is the one with most records in the lowest bucket, of those with as many in
    it most in the next, and so on; among equals the first in the study file's order.
    """

    analysis: Anonymity
    _places: Mapping[Subset, int] = field(init=False)
    _worst: dict[tuple[Family, int], tuple[Subset, ValueHistogram]] = field(
        default_factory=dict, init=False
    )

    def __post_init__(self) -> None:
        self._places = {s: place for place, s in enumerate(self.analysis.subsets)}

    def add(self, family: Family, subset: Subset, histogram: ValueHistogram) -> None:
        """Take a subset's histogram into account."""
        key = family, subset.bit_count()
        if key not in self._worst or self._rank(subset, histogram) > self._rank(
            *self._worst[key]
        ):
            self._worst[key] = subset, histogram

    def _rank(self, subset: Subset, histogram: ValueHistogram) -> tuple[int, ...]:
        found = zip(histogram.lower.tolist(), histogram.n_records.tolist(), strict=True)
        n_records = dict.fromkeys(LOWER_BOUNDS, 0) | dict(found)
        return *n_records.values(), -self._places[subset]

    @property
    def table(self) -> pd.DataFrame:
        """The columns `CLASSES`, by model, sensitive attribute, QIDs and bucket."""
        sensitive = ("", *self.analysis.sensitive)

        def rank(key: tuple[Family, int]) -> tuple[int, int, int]:
            """Give the place of a family: by model, attribute and number of QIDs."""
            (model, attribute), n_qids = key
            return MODELS.index(model), sensitive.index(attribute), n_qids

        keys = sorted(self._worst, key=rank)
        rows = [row for key in keys for row in self._rows(key[0], *self._worst[key])]
        return pd.DataFrame(rows, columns=[*CLASSES])

    def _rows(
        self, family: Family, subset: Subset, histogram: ValueHistogram
    ) -> Iterator[dict[str, Any]]:
        model, sensitive = family
        names = names_of(subset, self.analysis.qids)
        which = {
            "analysis": self.analysis.name,
            "table": self.analysis.table,
            "focal": self.analysis.focal,
            "model": model,
            "sensitive": sensitive,
            "qids": "|".join(names),
            "n_qids": len(names),
        }
        columns = {
            "lower": histogram.lower.tolist(),
            "upper": histogram.upper.tolist(),
            "n_blocks": histogram.n_blocks.tolist(),
            "n_records": histogram.n_records.tolist(),
            "share_of_blocks": map(float, histogram.share_of_blocks),
            "share_of_records": map(float, histogram.share_of_records),
        }
        for values in zip(*columns.values(), strict=True):
            yield which | dict(zip(columns, values, strict=True))
