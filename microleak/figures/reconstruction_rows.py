"""Which rows of rebuilt databases are told and drawn, and how they are grouped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from microleak.figures import tables
from microleak.figures.reconstruction_settings import CURVE, LAW, settings_of

_LEAST_LEVELS = 3

_DRAWN = re.compile(
    r"(?P<table>\S+) (?P<release>\S+): (?P<attribute>.+?) (?P<predicate>equals .+)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Drawn:
    """Persons of a release, whose entries are 1 if a predicate is true of a value."""

    table: str
    release: str
    attribute: str
    predicate: str


@dataclass(frozen=True)
class Rebuilt:
    """The tables of one analysis; either may be empty.

    Attributes
    ----------
    results
        `measures/reconstruction`, a row a database, texts never missing.
    bad
        `measures/bad_points`, a row a grid, texts never missing.
    """

    results: pd.DataFrame
    bad: pd.DataFrame

    @property
    def measured(self) -> pd.DataFrame:
        """The first table that is not empty."""
        return self.results if len(self.results) else self.bad

    @property
    def is_published(self) -> bool:
        """Whether it is for the public."""
        return tables.is_published(self.measured)

    @property
    def is_random(self) -> bool:
        """Whether the databases were drawn and describe nobody; those of points are."""
        return self.drawn_from is None

    @property
    def is_rounded(self) -> bool:
        """Whether numbers are rounded, as those of persons are for the public."""
        return self.is_published and not self.is_random

    @property
    def drawn_from(self) -> Drawn | None:
        """What persons the entries are of, if they are."""
        return None if self.results.empty else drawn_from(self._database)

    @property
    def density(self) -> float:
        """Chance of a 1 in each entry of random databases."""
        return float(self._database.removeprefix("random "))

    @property
    def _database(self) -> str:
        return str(self.results["database"].iloc[0])

    @property
    def settings(self) -> pd.DataFrame:
        """What the repeats of each setting come to (`settings_of`)."""
        return settings_of(self.results, self.is_rounded)

    def guess(self, n: int) -> float:
        """Return the share of entries right without answers: the more frequent bit.

        Of all databases of n entries; missing where a number of ones is suppressed.
        """
        rows = self.results[self.results["n_entries"] == n]
        ones = rows["n_ones"].astype(float)
        right = np.maximum(ones, n - ones).sum(skipna=False)
        return float(right / (n * len(rows)))

    @property
    def told(self) -> pd.Series | None:
        """The setting with the most noise of which every database was rebuilt.

        Of equals that with the most outliers, then with the most entries, then with
        the fewest queries; None if there is none.
        """
        settings = self.settings
        every = settings[settings["n_exact"] == settings["n_tries"]]
        ranked = every.sort_values(
            ["noise_share", "outliers", "n_entries", "n_queries"],
            ascending=[False, False, False, True],
            kind="stable",
        )
        return ranked.iloc[0] if len(ranked) else None

    @property
    def limits(self) -> pd.DataFrame:
        """Where noise stops each attack, a row a curve of several noise levels.

        Beside `CURVE`: `last_all`, the noise up to which every database was rebuilt,
        with any less noise tried too; `first_none`, that from which none was, with any
        more. Both are shares of the square root of n, missing if there is none.
        """
        found = [
            {**dict(zip(CURVE, key, strict=True)), **limits_of(curve)}
            for key, curve in self.settings.groupby([*CURVE], sort=False, dropna=False)
            if curve["noise_share"].nunique() > 1
        ]
        return pd.DataFrame(found, columns=[*CURVE, "last_all", "first_none"])

    @property
    def panels(self) -> list[pd.DataFrame]:
        """Settings that are drawn: of each `LAW` those of one number of entries.

        It is the largest that was tried with three levels of noise or more; a table
        says two as well.
        """
        return [*_largest(self.settings)]

    @property
    def drawn_entries(self) -> set[int]:
        """Every n that is drawn."""
        return {int(panel["n_entries"].iloc[0]) for panel in self.panels}

    @property
    def diagrams(self) -> list[pd.DataFrame]:
        """Those that were tried with several numbers of queries, too."""
        return [p for p in self.panels if p["n_queries"].nunique() > 1]


def drawn_from(database: str) -> Drawn | None:
    """Return what persons a database is of, as result tables write it; None if random.

    Examples
    --------
    >>> drawn_from("people 2018: ILL equals 1").attribute
    'ILL'
    >>> drawn_from("random 0.5") is None
    True
    """
    found = _DRAWN.fullmatch(database)
    return Drawn(**found.groupdict()) if found else None


def rebuilt(results: pd.DataFrame, bad: pd.DataFrame) -> Rebuilt:
    """Return the tables of one analysis, however they were read."""
    return Rebuilt(tables.with_text(results), tables.with_text(bad))


def limits_of(curve: pd.DataFrame) -> dict[str, float]:
    """Return `last_all` and `first_none` of `Rebuilt.limits` for one curve."""
    levels = curve.groupby("noise_share")[["n_exact", "n_tries"]].sum()
    is_all = (levels["n_exact"] == levels["n_tries"]).cummin()
    is_none = (levels["n_exact"] == 0)[::-1].cummin()[::-1]
    return {
        "last_all": float(levels.index[is_all].max()),
        "first_none": float(levels.index[is_none].min()),
    }


def _largest(settings: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the settings of each `LAW` with the largest n of enough levels."""
    for _, several in settings.groupby([*LAW], sort=False, dropna=False):
        n_levels = several.groupby("n_entries")["noise_share"].nunique()
        is_drawn = n_levels >= _LEAST_LEVELS
        if is_drawn.any():
            n = n_levels.index[is_drawn].max()
            yield several[several["n_entries"] == n].reset_index(drop=True)
