"""Which rows of rebuilt databases are shown, and how they are written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from microleak.figures.numbers import Words
from microleak.tables import rows as tables

LAW = ("attack", "noise", "epsilon", "outliers")
"""Columns that say which attack there is, and which noise but for its bound."""

CURVE = (*LAW, "n_entries", "n_queries")
"""Columns that settings share which differ by how much noise there is."""

SETTING = (*CURVE, "error_bound")
"""Columns that the repeats of one setting share; formulas may differ, but for bases
of rounding that reach the same bound (2 and 3)."""

_CLAIMS = {f"n_{claim}": f"is_{claim}" for claim in ("exact", "consistent", "proven")}
_STATUSES = {"n_unsolved": "not solved", "n_infeasible": "infeasible"}
_COUNTED = (
    *(*_CLAIMS, *_STATUSES, "n_partial", "n_misled"),
    *("n_refuted", "n_claimed", "n_right"),
)


def settings_of(results: pd.DataFrame) -> pd.DataFrame:
    """Return what the repeats of each setting come to, a row a setting.

    Beside `SETTING` it has the first formulas that give it; the bound that the attack
    believes in (`assumed_bound`); that of the noise as a share of the square root of n
    (`noise_share`); how many databases were tried, ended in which way, and are wrong
    though consistent (`n_misled`) or proven (`n_refuted`); the mean shares of entries
    claimed and right, and the least right. Sorted by `LAW` in the order of the tables,
    then by entries, queries and noise from the least.
    """
    marked = _marked(results)
    base = marked["error"].where(marked["noise"] == "rounding", "")
    by = [*SETTING, "base"]
    groups = marked.assign(base=base).groupby(by, sort=False, dropna=False)
    found = groups[[*_COUNTED]].sum().reset_index()
    shared = ["queries", "error", "assumed_bound"]
    found[shared] = groups[shared].first().reset_index(drop=True)
    found["n_tries"] = groups.size().to_numpy()
    found["least_right"] = groups["share_right"].min().astype(float).to_numpy()
    noise_share = found["error_bound"] / np.sqrt(found["n_entries"].astype(float))
    entries = (found["n_entries"] * found["n_tries"]).astype(float)
    means = {
        f"share_{name}": found[f"n_{name}"].astype(float) / entries
        for name in ("claimed", "right")
    }
    found = found.assign(noise_share=noise_share, **means)
    place = found.groupby([*LAW], sort=False, dropna=False).ngroup()
    by = ["place", "n_entries", "n_queries", "error_bound"]
    keys = found.assign(place=place)[by].sort_values(by, kind="stable")
    return found.loc[keys.index].reset_index(drop=True)


def is_true(claims: pd.Series) -> pd.Series:
    """Write which claims are true, read from a file or not."""
    return claims.astype(str).str.lower() == "true"


def _marked(results: pd.DataFrame) -> pd.DataFrame:
    marks = {name: is_true(results[claim]) for name, claim in _CLAIMS.items()}
    marks |= {name: results["status"] == word for name, word in _STATUSES.items()}
    is_whole = results["n_claimed"] == results["n_entries"]
    return results.assign(
        **marks,
        n_partial=(results["status"] == "solved") & ~is_whole,
        n_misled=marks["n_consistent"] & ~marks["n_exact"],
        n_refuted=marks["n_proven"] & ~marks["n_exact"],
    )


_LEAST_LEVELS = 3

_MOST_PANELS = 6
"""Laws of an attack and noise that a figure can show readably."""


@dataclass(frozen=True)
class Rebuilt:
    """The tables of one analysis; either may be empty."""

    results: pd.DataFrame
    bad: pd.DataFrame  # `measures/bad_points`, a row a database, texts never missing

    @property
    def measured(self) -> pd.DataFrame:
        """The first table that is not empty."""
        return self.results if len(self.results) else self.bad

    @property
    def is_random(self) -> bool:
        """Whether the databases were drawn and describe nobody; those of points are."""
        return self.results.empty or str(self.database["database"]) == "random"

    @property
    def database(self) -> pd.Series:
        """Where the entries come from, as the first row says; there must be one."""
        return self.results.iloc[0]

    @property
    def settings(self) -> pd.DataFrame:
        """What the repeats of each setting come to (`settings_of`)."""
        return settings_of(self.results)

    def guess(self, n: int) -> float:
        """Return the share of n entries right without answers: the modal bit."""
        rows = self.results[self.results["n_entries"] == n].drop_duplicates("seed")
        ones = rows["n_ones"].astype(int)
        return float(np.maximum(ones, n - ones).sum() / (n * len(rows)))

    @property
    def told(self) -> pd.Series | None:
        """The setting with the most noise up to which all were rebuilt, or None."""
        curves = self.settings.groupby([*CURVE], sort=False, dropna=False)
        every = pd.concat(
            curve[curve["noise_share"] <= limits_of(curve)["last_all"]]
            for _, curve in curves
        )
        ranked = every.assign(level=every["noise_share"].round(6)).sort_values(
            ["level", "outliers", "n_entries", "n_queries"],
            ascending=[False, False, False, True],
            kind="stable",
        )
        return ranked.iloc[0] if len(ranked) else None

    @property
    def limits(self) -> pd.DataFrame:
        """Where noise stops each attack, a row a curve of several noise levels."""
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
        says two as well. Of many, six: the first of each attack, then the second.
        """
        every = [*_largest(self.settings)]
        return [every[place] for place in _drawn_places(every)]

    @property
    def undrawn(self) -> list[pd.DataFrame]:
        """Settings that would be panels if there were not too many."""
        every = [*_largest(self.settings)]
        drawn = {*_drawn_places(every)}
        return [panel for place, panel in enumerate(every) if place not in drawn]

    @property
    def drawn_entries(self) -> set[int]:
        """Every n that is drawn."""
        return {int(panel["n_entries"].iloc[0]) for panel in self.panels}

    @property
    def diagrams(self) -> list[pd.DataFrame]:
        """Those that were tried with several numbers of queries, too."""
        return [p for p in self.panels if p["n_queries"].nunique() > 1]


def rebuilt(results: pd.DataFrame, bad: pd.DataFrame) -> Rebuilt:
    """Return the tables of one analysis, however they were read."""
    results, bad = tables.with_text(results), tables.with_text(bad)
    once = results.drop_duplicates(["attack", "seed"], ignore_index=True)
    return Rebuilt(once, bad.drop_duplicates("seed", ignore_index=True))


def limits_of(curve: pd.DataFrame) -> dict[str, float]:
    """Return the noise up to which every database was rebuilt, and none from on.

    Both with any less, or any more, noise of the curve tried too, as shares of the
    square root of n; missing if there is none.
    """
    levels = curve.groupby("noise_share")[["n_exact", "n_tries"]].sum()
    is_all = (levels["n_exact"] == levels["n_tries"]).cummin()
    is_none = (levels["n_exact"] == 0)[::-1].cummin()[::-1]
    return {
        "last_all": float(levels.index[is_all].max()),
        "first_none": float(levels.index[is_none].min()),
    }


def _drawn_places(panels: list[pd.DataFrame]) -> list[int]:
    """Return which panels are drawn, so that no attack takes the place of another."""
    attacks = pd.Series([panel["attack"].iloc[0] for panel in panels], dtype=object)
    nth = attacks.groupby(attacks).cumcount()
    return sorted(nth.sort_values(kind="stable").index[:_MOST_PANELS])


def _largest(settings: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the settings of each `LAW` with the largest n of enough levels."""
    for _, several in settings.groupby([*LAW], sort=False, dropna=False):
        n_levels = several.groupby("n_entries")["noise_share"].nunique()
        is_drawn = n_levels >= _LEAST_LEVELS
        if is_drawn.any():
            n = n_levels.index[is_drawn].max()
            drawn = several[several["n_entries"] == n]
            places = ["n_queries", "error_bound"]
            yield drawn.drop_duplicates(places, keep="last", ignore_index=True)


def exact_text(setting: pd.Series, words: Words) -> str:
    """Write how many databases of a setting were rebuilt, of how many."""
    counts = (words.numbers.count(setting[name]) for name in ("n_exact", "n_tries"))
    return "/".join(counts)


def law_text(setting: pd.Series, words: Words) -> str:
    """Name an attack and the law of the noise that it withstood."""
    return words.say(
        "reconstruction_law",
        attack=attack_text(setting, words),
        noise=answers_text(setting, words),
    )


def attack_text(setting: pd.Series, words: Words) -> str:
    return words.say(f"reconstruction_attack_{setting['attack']}")


def answers_text(setting: pd.Series, words: Words) -> str:
    """Name the law of the noise, and the share of answers that are anything."""
    noise = noise_text(setting, words)
    if not setting["outliers"]:
        return noise
    share = outliers_text(setting, words)
    return words.say("reconstruction_outliers", noise=noise, share=share)


def outliers_text(setting: pd.Series, words: Words) -> str:
    """Write the share of answers that are anything, as the study file gives it."""
    return f"{words.numbers.three_digits(100 * setting['outliers'])}%"


def noise_text(setting: pd.Series, words: Words) -> str:
    """Name the law of the noise, with its epsilon if it has one."""
    noise = words.say(f"reconstruction_noise_{setting['noise']}")
    if not setting["epsilon"]:
        return noise
    return words.say("reconstruction_epsilon", setting, noise=noise)


def panel_text(panel: pd.DataFrame, words: Words) -> str:
    """Name what the settings of a panel share."""
    first = panel.iloc[0]
    return words.say("reconstruction_panel", first, law=law_text(first, words))


def unclaimed_text(panels: Iterable[pd.DataFrame], words: Words) -> str:
    """Write that what is not claimed is not right, if any panel has such entries."""
    is_partial = any((panel["share_claimed"] < 1).any() for panel in panels)
    return words.say("reconstruction_unclaimed") if is_partial else ""
