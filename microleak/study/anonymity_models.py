"""What anonymity models say of one QID subset, by the names of their columns."""

from collections.abc import Callable
from fractions import Fraction

from microleak.attacks.k_anonymity import (
    BlockSizes,
    k_anonymity,
    n_below,
    n_unsafe_combinations,
    share_below,
)
from microleak.attacks.k_map import (
    delta_presence,
    delta_presence_estimated,
    delta_presence_lower,
    k_map,
    k_map_estimated,
    n_below_k_map,
)
from microleak.attacks.overlap import Overlap
from microleak.attacks.poisson_gamma import poisson_gamma
from microleak.attacks.population_uniqueness import (
    UniquenessEstimate,
    negative_binomial,
    poisson,
    zayatz,
)
from microleak.columns import ANONYMITY_THRESHOLDS as THRESHOLDS
from microleak.columns import UNIQUENESS_MODELS

Measures = dict[str, int | float | Fraction | None]
"""Measures by column; None where a model says nothing."""

Model = Callable[[BlockSizes, int], UniquenessEstimate | None]

MODELS: dict[str, Model] = dict(
    zip(
        UNIQUENESS_MODELS,
        (negative_binomial, poisson, zayatz, poisson_gamma),
        strict=True,
    )
)
"""Models of uniqueness in the population, as columns name them."""


def k_measures(sizes: BlockSizes) -> Measures:
    """Return k, and what of the table violates it, as different tools count it."""
    return {
        "n_records": sizes.n_records,
        "n_blocks": sizes.total_blocks,
        "k_anonymity": k_anonymity(sizes),
        **{f"n_below_{k}": n_below(sizes, k) for k in THRESHOLDS},
        **{f"share_below_{k}": share_below(sizes, k) for k in THRESHOLDS},
        **{
            f"n_unsafe_combinations_{k}": n_unsafe_combinations(sizes, k)
            for k in THRESHOLDS
        },
    }


def entity_measures(sizes: BlockSizes) -> Measures:
    """Return k over entities, from the numbers of entities that share a block."""
    return {
        "n_entities": sizes.n_records,
        "n_entity_blocks": sizes.total_blocks,
        "k_anonymity_entities": k_anonymity(sizes),
        **{f"n_entities_below_{k}": n_below(sizes, k) for k in THRESHOLDS},
        **{f"share_entities_below_{k}": share_below(sizes, k) for k in THRESHOLDS},
    }


def population_measures(both: Overlap) -> Measures:
    """Return what the table's population, which is at hand, says of it."""
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
        "n_unique_both": both.where((both.n == 1) & (both.d == 1)).total_blocks,
    }


def estimates(sizes: BlockSizes, n_population: int) -> Measures:
    """Return what models say of the population, of which only the size is known."""
    found: Measures = {
        "n_population": n_population,
        "n_sample_unique": sizes.count(1),
        "k_map_estimated": k_map_estimated(sizes, n_population),
        "delta_presence_estimated": delta_presence_estimated(sizes, n_population),
    }
    for name, model in MODELS.items():
        estimate = model(sizes, n_population)
        if estimate:
            found[f"posterior_unique_{name}"] = estimate.posterior_unique
            found[f"posterior_match_{name}"] = estimate.posterior_match
    return found
