"""What of anonymity models may be published.

The rules are those of `microleak.study.disclosure`, which calls this function.
"""

import pandas as pd

from microleak.columns import ANONYMITY
from microleak.columns import ANONYMITY_THRESHOLDS as THRESHOLDS
from microleak.study.published_cumulative import is_far, shown_below
from microleak.study.published_estimates import published_estimates
from microleak.study.rounding import cover, digits_of, ratios, shares, shown

_WHICH = [*ANONYMITY[: ANONYMITY.index("n_records")]]
_SUBSET = [name for name in _WHICH if name != "sensitive"]
_MEASURED = [*ANONYMITY[len(_WHICH) :]]

_EXTREMES = (
    *("l_entropy", "recursive_c_2", "recursive_c_3", "t_equal", "t_ordered"),
    *("delta_presence_min", "delta_presence_max", "delta_presence_estimated"),
)
"""What one block decides: never shown."""

_LEAST = ("k_anonymity", "k_anonymity_entities", "l_distinct", "k_map")

_VALUES = ("l_distinct", "l_entropy", "recursive_c_2", "recursive_c_3", "t_equal")
"""What rows of a sensitive attribute have, though it may be empty."""


def publish_anonymity(table: pd.DataFrame) -> pd.DataFrame:
    """Return anonymity measures with rounded counts, and what is made of these."""
    totals = {
        name: _shown(table[name])
        for name in ("n_records", "n_entities", "n_population")
    }
    cells = totals | _below(table, totals) | _least(table, totals["n_records"])
    cells |= _before_population(table, cells)
    cells |= _blocks(table, cells) | _unsafe(cells)
    cells |= dict.fromkeys(_EXTREMES, pd.Series(float("nan"), table.index))
    public = table.assign(**{name: cells[name] for name in _MEASURED})
    covered = cover(public, _applies(table) & public[_MEASURED].isna())
    return covered.astype(dict.fromkeys(_LEAST, "Int64"))


def _shown(counts: pd.Series) -> pd.Series:
    """Round counts that a row may not have."""
    return shown(counts.fillna(0).astype("int64")).mask(counts.isna())


def _below(table: pd.DataFrame, totals: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """Return the records or entities of small blocks, and their shares."""
    found: dict[str, pd.Series] = {}
    for what, total in (
        ("below", "n_records"),
        ("entities_below", "n_entities"),
        ("below_k_map", "n_records"),
    ):
        of = totals[total]
        for k in THRESHOLDS:
            counts = shown_below(table[f"n_{what}_{k}"], of)
            if what == "below_k_map":
                counts = counts.where(is_far(totals["n_population"], of, k))
            found |= {f"n_{what}_{k}": counts, f"share_{what}_{k}": shares(counts, of)}
    return found


def _least(table: pd.DataFrame, n_records: pd.Series) -> dict[str, pd.Series]:
    """Return the least sizes and numbers of values, from 10 on."""
    is_wide = digits_of(n_records) > 0
    rounded = {name: _shown(table[name]) for name in _LEAST}
    return {name: each.where(is_wide & (each > 0)) for name, each in rounded.items()}


def _before_population(
    table: pd.DataFrame, cells: dict[str, pd.Series]
) -> dict[str, pd.Series]:
    """Return uniques, and what is computed from published counts."""
    n_records, n_population = cells["n_records"], cells["n_population"]
    digits = digits_of(n_records)
    uniques = shown_below(table["n_sample_unique"], n_records)
    in_both = shown_below(table["n_unique_both"], n_records)
    expected = cells["k_anonymity"] * n_population
    known = pd.DataFrame(cells | {"n_sample_unique": uniques})
    return {
        "n_sample_unique": uniques,
        "n_unique_both": in_both.where(is_far(n_population, n_records, 2)),
        "k_map_estimated": ratios(expected, n_records, digits),
        **published_estimates(known),
    }


def _blocks(table: pd.DataFrame, cells: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """Return numbers of blocks; with records they say how many blocks are small."""
    is_told = pd.Series(False, table.index)
    for k in THRESHOLDS:
        is_told |= table[f"n_below_{k}"].notna() & cells[f"n_below_{k}"].isna()
    of_subset = [table[name] for name in _SUBSET]
    is_told = is_told.groupby(of_subset, dropna=False).transform("any")
    of_entities = [cells[f"n_entities_below_{k}"].notna() for k in THRESHOLDS]
    is_clear = pd.concat(of_entities, axis="columns").all(axis="columns")
    return {
        "n_blocks": _shown(table["n_blocks"]).mask(is_told),
        "n_entity_blocks": _shown(table["n_entity_blocks"]).where(is_clear),
    }


def _unsafe(cells: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """Return that no block is small, where that follows from published counts.

    With the records below k, to which they stand in fixed relations, further numbers
    of blocks would tell exact ones.
    """
    found = {}
    for k, further in zip(THRESHOLDS, (*THRESHOLDS[1:], None), strict=True):
        below = cells[f"n_below_{further or k}"]
        is_none = (below == 0).fillna(False) & (further is not None)
        found[f"n_unsafe_combinations_{k}"] = below.where(is_none)
    return found


def _applies(table: pd.DataFrame) -> pd.DataFrame:
    """Say which measures each row has, also if it has them empty."""
    applies = table[_MEASURED].notna()
    is_of_values = table["sensitive"].fillna("") != ""
    for name in _VALUES:
        applies[name] = is_of_values
    has_population = table["k_map"].notna()
    for name in ("delta_presence_min", "delta_presence_max"):
        applies[name] = has_population
    for name in _MEASURED:
        if name.startswith("posterior_") or name == "delta_presence_estimated":
            applies[name] = table["n_population"].notna()
    return applies
