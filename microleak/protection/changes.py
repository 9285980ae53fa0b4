"""What a protection changed: counts of records, cells and values, and entropy."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum, log2
from typing import Any

import numpy as np

from microleak.base.arrays import Codes, Integers
from microleak.protection.methods import (
    MOST_COUNTED,
    DataColumn,
    count_codes,
    record_slices,
)
from microleak.protection.steps import KeptRecords, Recipe
from microleak.study_file.protections import StepSection


def changes_by_attribute(
    before: Mapping[str, DataColumn], after: KeptRecords, recipe: Recipe
) -> Iterator[dict[str, Any]]:
    """Yield a row of the table `protections` for each attribute that steps change.

    First comes a row of no attribute if records were sampled or cells suppressed.
    """
    counted = {"n_before": len(after.kept), "n_after": after.n_records}
    if steps := [s for s in recipe.steps if s.method in {"sample", "suppress"}]:
        told = _told_of_methods(
            [s.method for s in steps], [s.parameters("") for s in steps]
        )
        yield {"attribute": "", **told, **counted, **_of_cells(after, steps)}
    for name in recipe.touched:
        steps = [s for s in recipe.steps if name in (*s.changed, *(s.drop or ()))]
        if not steps:
            continue
        told = _told_of_methods(
            [s.method for s in steps], [s.parameters(name) for s in steps]
        )
        of_values = _of_values(before[name], after.columns.get(name), after)
        yield {"attribute": name, **told, **counted, **of_values}


def _of_cells(after: KeptRecords, steps: Sequence[StepSection]) -> dict[str, int]:
    """Return how many cells were suppressed; nothing where no step does.

    How many had to be is known of one step alone: what a second one needs follows from
    what the first chose.
    """
    n_steps = sum(step.suppress is not None for step in steps)
    found = {"n_suppressed": after.n_suppressed} if n_steps else {}
    if n_steps == 1:
        found["n_suppressed_at_least"] = after.n_suppressed_at_least
    return found


def _told_of_methods(
    methods: list[str], parameters: list[dict[str, Any]]
) -> dict[str, str]:
    """Return methods and their parameters, as `keep=0.8`, joined by |."""
    each = (
        " ".join(f"{key}={_value_text(value)}" for key, value in given.items())
        for given in parameters
    )
    return {"methods": "|".join(methods), "parameters": "|".join(each)}


def _value_text(value: object) -> str:
    """Write a value, those of a list with `,` and lists of a list with `;` between."""
    if not isinstance(value, list):
        return str(value)
    is_of_lists = any(isinstance(each, list) for each in value)
    return (";" if is_of_lists else ",").join(map(_value_text, value))


def _of_values(
    before: DataColumn, after: DataColumn | None, records: KeptRecords
) -> dict[str, Any]:
    """Count what became of an attribute's values; None says that it was dropped."""
    found: dict[str, Any] = {
        "n_values_before": int(np.count_nonzero(before.counts)),
        "n_changed": None,
        "n_made_missing": None,
        "n_values_after": None,
        "entropy_kept": 0.0,
    }
    own = before.codes if records.kept.all() else before.codes[records.kept]
    n_own = count_codes(own, len(before.values))
    entropy = _entropy_of_sizes(n_own[n_own > 0])
    if after is not None:
        code_of = {value: code for code, value in enumerate(after.values)}
        same = np.array([code_of.get(value, -1) for value in before.values])
        n_changed = n_missing = 0
        for part in record_slices(len(own)):
            is_other = same[own[part]] != after.codes[part]
            n_changed += int(is_other.sum())
            n_missing += int((is_other & (after.codes[part] == 0)).sum())
        joint = _entropy_of_sizes(_pair_counts(own, after))
        of_labels = _entropy_of_sizes(after.counts[after.counts > 0])
        found |= {
            "n_changed": n_changed,
            "n_made_missing": n_missing,
            "n_values_after": int(np.count_nonzero(after.counts)),
            "entropy_kept": entropy + of_labels - joint,
        }
    share = found["entropy_kept"] / entropy if entropy else None
    # Rounding of floats may lead past the bounds.
    found["entropy_kept"] = None if share is None else min(1.0, max(0.0, share))
    return found


def _pair_counts(own: Codes, after: DataColumn) -> Integers:
    """Return how many records have each pair of values before and after."""
    n_after = len(after.values)
    n_pairs = (int(own.max(initial=0)) + 1) * n_after
    if n_pairs <= MOST_COUNTED:
        found = np.zeros(n_pairs, dtype=np.int64)
        for part in record_slices(len(own)):
            both = own[part].astype(np.int64) * n_after + after.codes[part]
            found += np.bincount(both, minlength=n_pairs)
        return found[found > 0]
    both = own.astype(np.int64) * n_after + after.codes
    both.sort()
    starts = np.flatnonzero(np.diff(both, prepend=both[0] - 1))
    return np.diff(starts, append=len(both))


def _entropy_of_sizes(sizes: Integers) -> float:
    """Return the entropy in bits of a value, by the records that have each."""
    n = int(sizes.sum())
    each, times = np.unique(sizes, return_counts=True)
    pairs = zip(each.tolist(), times.tolist(), strict=True)
    return -fsum(many * size / n * log2(size / n) for size, many in pairs)
