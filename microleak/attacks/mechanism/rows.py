"""Which rows of the tables of noisy counts are shown, and how they are written."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

LOSS, UTILITY = "privacy_loss", "utility"
MEASURES = (LOSS, UTILITY)
"""What is measured of a noisy count, in the order of the page."""


@dataclass(frozen=True)
class Noisy:
    """The tables of one analysis; of `mechanism` and `pairs` one is empty."""

    mechanism: pd.DataFrame
    samples: pd.DataFrame  # `measures/samples`: the same over random samples
    simulated: pd.DataFrame  # `measures/simulated`: guesses from random noisy counts
    pairs: pd.DataFrame

    @property
    def has_count(self) -> bool:
        """Whether one count was measured; all pairs of attributes were otherwise."""
        return len(self.mechanism) > 0

    @property
    def has_samples(self) -> bool:
        return len(self.samples) > 0

    @property
    def measured(self) -> pd.DataFrame:
        """The table that is not empty."""
        return self.mechanism if self.has_count else self.pairs

    @property
    def first(self) -> pd.Series:
        """A row of it, for what all rows say alike."""
        return self.measured.iloc[0]

    @property
    def models(self) -> list[str]:
        """Mechanisms of the count, in the order of the study file."""
        return list(self.mechanism["model"].unique())

    @property
    def noises(self) -> pd.DataFrame:
        """Epsilons of the count from the smallest, each once."""
        # The index is the epsilon as the study file writes it; the column `size` is the
        # epsilon as a number, for axes.
        return pd.DataFrame({"size": -np.log(_falling_alphas(self.mechanism))})

    def of_model(self, model: str) -> pd.DataFrame:
        """Return the rows of one mechanism from the smallest epsilon, by epsilon."""
        rows = self.mechanism[self.mechanism["model"] == model]
        return rows.set_index("epsilon", drop=False).loc[self.noises.index]

    def ends(self, model: str) -> tuple[pd.Series, pd.Series]:
        """Return the rows of one mechanism with the least and the largest epsilon."""
        rows = self.of_model(model)
        return rows.iloc[0], rows.iloc[-1]

    def most_telling(self, model: str) -> pd.Series:
        """Return the row of one mechanism with which the adversary guesses best."""
        # That of the largest epsilon among equals.
        rows = self.of_model(model).iloc[::-1]
        return rows.iloc[rows["posterior"].astype(float).argmax()]

    def of_samples(self, model: str, measure: str) -> pd.DataFrame:
        rows = self.samples
        found = rows[(rows["model"] == model) & (rows["measure"] == measure)]
        return found.set_index("epsilon", drop=False).loc[self.noises.index]

    @property
    def middle(self) -> str:
        """The epsilon that is told of: the median, of two the smaller."""
        rows = self.pairs if len(self.pairs) else self.mechanism
        epsilons = _falling_alphas(rows).index
        return str(epsilons[(len(epsilons) - 1) // 2])

    @property
    def shown_pairs(self) -> pd.DataFrame:
        """Rows of all pairs with the median epsilon."""
        return self.pairs[self.pairs["epsilon"] == self.middle]

    @property
    def attributes(self) -> list[str]:
        """Attributes that are paired, in the order of the study file."""
        return list(self.pairs["sensitive"].unique())


def _falling_alphas(rows: pd.DataFrame) -> pd.Series:
    """Return the alpha of each epsilon, by epsilon, from the smallest epsilon."""
    alphas = rows.groupby("epsilon", sort=False)["alpha"].first()
    return alphas.sort_values(ascending=False, kind="stable")
