"""Which rows of the tables of anonymity a figure or page shows."""

from dataclasses import dataclass

import pandas as pd

K_ANONYMITY = "k-anonymity"
K_ENTITIES = "k-anonymity of entities"
L_DIVERSITY = "l-diversity"
K_MAP = "k-map"


@dataclass(frozen=True, eq=False)
class AnonymityRows:
    """What was measured in one analysis."""

    rows: pd.DataFrame  # Rows of `measures/anonymity`
    classes: pd.DataFrame
    uniqueness: pd.DataFrame | None = None  # Rows of `measures/uniqueness`

    @property
    def analysis(self) -> str:
        return str(self.rows["analysis"].iloc[0])

    @property
    def sensitive(self) -> list[str]:
        return [name for name in self.rows["sensitive"].unique() if name]

    @property
    def blocks(self) -> pd.DataFrame:
        """Rows of the blocks themselves, which are of no sensitive attribute."""
        return self._of("")

    @property
    def has_population(self) -> bool:
        return len(measured(self.blocks, "k_map")) > 0

    @property
    def is_sample(self) -> bool:
        """Whether the size of a population is known, with or without its table."""
        return len(measured(self.blocks, "n_population")) > 0

    @property
    def has_estimates(self) -> bool:
        """Whether some model tells how many of those alone are so in the population."""
        worst = self.worst(K_ANONYMITY)
        chances = worst[worst["n_sample_unique"] > 0].filter(like="posterior_unique_")
        return bool(chances.notna().to_numpy().any())

    @property
    def has_entities(self) -> bool:
        return len(measured(self.blocks, "n_entities")) > 0

    def histogram(self, model: str, sensitive: str = "") -> pd.DataFrame:
        """Return the buckets of one model, by number of QIDs and then ascending."""
        classes = self.classes
        is_of = (classes["model"] == model) & (classes["sensitive"] == sensitive)
        return classes[is_of].sort_values(["n_qids", "lower"], kind="stable")

    def worst(self, model: str, sensitive: str = "") -> pd.DataFrame:
        """Return the rows of a model's worst subset of each size, smallest first."""
        # Those of the blocks, or of a sensitive attribute.
        qids = set(self.histogram(model, sensitive)["qids"])
        rows = self._of(sensitive)
        return rows[rows["qids"].isin(qids)].sort_values("n_qids", kind="stable")

    def _of(self, sensitive: str) -> pd.DataFrame:
        return self.rows[self.rows["sensitive"] == sensitive]


def measured(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    return rows[rows[column].notna()]
