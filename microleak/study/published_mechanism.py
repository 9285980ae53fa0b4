"""What of noisy counts may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
Privacy loss and utility are functions of exact counts, and each further epsilon gives
another function of the same: to round each one separately would let a reader solve for
the counts. So every number here is made of few counts, the same for all epsilons and
rounded before: the records, those that match, those with the most frequent sensitive
and useful value, those whose sensitive value is guessed right with the count without
noise, and those of either attribute with the value of the other. Except for the first
two these are no columns, as that of a prior is none.

- A privacy loss has the decimals of a share of the records that are guessed right
  without the count, of which it is a multiple.
- What the count without noise adds to the guesses is at most the records that match,
  and those that do not: where it is 10 as shown it may be of fewer, and is not told
  from 0. Nor is what the other attribute adds.
- Utility of the oblivious mechanism depends on the records and on those that match
  alone (Nunes, Eq. 6.9), and is computed from them.
- Its posterior depends on two more counts, except where the sensitive attribute is
  counted itself. Those published bound it, as the posterior times 1 + alpha is convex
  in alpha: it is shown where both bounds are rounded to the same, as next to no noise
  and next to nothing else.
- Local mechanisms depend on the whole table. The posterior of randomised response is
  never above that without noise, and that of the local mechanism, which may exceed it,
  never above that of who knows the useful value: it is shown where either is the
  prior. Their utility is suppressed.
- Whether a noisy count tells anything depends on which of two exact counts is the
  larger: how many do is suppressed.
- Random samples are as many noisy views of the exact counts, which their mean would
  tell: all that is measured of them is suppressed.
- Simulated guesses are as many views of the same counts, beside chances that may be
  suppressed, and check only numbers that are exact: none of their rows is shown.
- The scenario follows from the published shares, and is empty without them.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import pandas as pd

from microleak.attacks.dependence import Dependence, Inference
from microleak.attacks.epsilon import Epsilon
from microleak.study.mechanism_model import LOCAL, OBLIVIOUS
from microleak.study.rounding import (
    count_of,
    cover,
    digits_of,
    shares,
    shown,
    shown_counts,
)

_SMALLEST_GAIN = 20
"""Records, as shown, from which on they cannot be fewer than ten."""

_COUNTS = ("n_records", "n_sensitive_values", "n_useful_values")
_OF_SAMPLES = (
    *("mean", "standard_error", "mean_low", "mean_high"),
    *("low", "median", "high"),
)

Bounds = tuple[Fraction, Fraction]
"""Least and largest number of records that may be guessed right."""


def publish_mechanism(table: pd.DataFrame) -> pd.DataFrame:
    """Return what may be shown of the privacy loss and utility of noisy counts."""
    counts = shown_counts(table, (*_COUNTS, "n_matching"))
    n_records = counts["n_records"]
    useful = _guessed(table, table["utility_floor_printed"], "useful_from_sensitive")
    guessed = _guessed(table, table["prior"], "sensitive_from_useful")
    cells = counts | _of_adversary(table, guessed, n_records)
    cells |= _of_pair(guessed, useful, n_records)
    cells |= {
        "privacy_loss_limit_printed": shares(n_records, guessed["modal"]),
        "utility_floor_printed": shares(useful["modal"], n_records),
        "utility_floor": _utility([Fraction(1)] * len(table), counts),
        "utility": _utility(_alphas(table), counts).where(table["model"] == OBLIVIOUS),
    }
    return _covered(table, cells)


def publish_samples(table: pd.DataFrame) -> pd.DataFrame:
    """Return random samples without what was measured of them."""
    hidden = pd.Series(float("nan"), table.index)
    cells = shown_counts(table, ("n_records", "n_sampled")) | dict.fromkeys(
        _OF_SAMPLES, hidden
    )
    return _covered(table, cells)


def publish_simulated(table: pd.DataFrame) -> pd.DataFrame:
    """Return no row of simulated guesses, and the columns."""
    return _covered(table.iloc[:0], {})


def publish_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """Return what may be shown of which counts leak what.

    The table has each pair of attributes both ways.
    """
    counts = shown_counts(table, _COUNTS)
    guessed = _guessed(table, table["prior"], "sensitive_from_useful")
    both = ["analysis", "epsilon", "sensitive", "useful"]
    place = pd.MultiIndex.from_frame(table[both])
    back = pd.MultiIndex.from_frame(table[[*both[:2], *both[:1:-1]]])
    useful = guessed.set_axis(place).reindex(back).set_axis(table.index)
    cells = counts | _of_adversary(
        table.assign(model=OBLIVIOUS), guessed, counts["n_records"]
    )
    cells |= _of_pair(guessed, useful, counts["n_records"])
    cells["n_leaking_counts"] = pd.Series(pd.NA, table.index)
    return _covered(table, cells)


def _guessed(table: pd.DataFrame, prior: pd.Series, leakage: str) -> pd.DataFrame:
    """Return records whose value is guessed right without and with the other's.

    As shown; `exact` are those without.
    """
    n_records = table["n_records"]
    exact = count_of(prior, n_records)
    modal = shown(exact)
    known = _told(count_of(prior + table[leakage] * (1 - prior), n_records), modal)
    return pd.DataFrame({"exact": exact, "modal": modal, "known": known})


def _told(right: pd.Series, modal: pd.Series) -> pd.Series:
    """Return records guessed right as shown, or `modal` if they may be few more."""
    rounded = shown(right)
    return rounded.where((rounded - modal >= _SMALLEST_GAIN).fillna(False), modal)


def _of_adversary(
    table: pd.DataFrame, guessed: pd.DataFrame, n_records: pd.Series
) -> dict[str, pd.Series]:
    """Return the chances to guess the sensitive value, and the privacy losses."""
    modal = guessed["modal"]
    right = count_of(table["privacy_loss_limit"], guessed["exact"])
    noise_free = _told(right, modal)
    most = noise_free.where(table["model"] != LOCAL, guessed["known"])
    bounds = [
        None if pd.isna(m) else _bounds(row, (int(m), int(r)), alpha)
        for row, m, r, alpha in zip(
            table.itertuples(), modal, most, _alphas(table), strict=True
        )
    ]
    return {
        "prior": shares(modal, n_records),
        "privacy_loss_limit": shares(noise_free, modal),
        "posterior": _agreed(bounds, n_records),
        "privacy_loss": _agreed(bounds, modal),
    }


def _bounds(row: Any, guessed: tuple[int, int], alpha: Fraction) -> Bounds:
    """Bound the records guessed right with noise, from the fewest and most that can be.

    These are those without a count and without noise; for the local mechanism, in
    place of the latter, those with the useful value. If values of the sensitive
    attribute itself are counted, every value is counted or not: the best guess of
    either kind is right about `modal` or about the rest.
    """
    modal, most = map(Fraction, guessed)
    if row.model != OBLIVIOUS:
        return modal, most
    if row.sensitive == row.useful:
        right = _two_sides((modal, most - modal), alpha)
        return right, right
    least = max(modal, most / (1 + alpha))
    return least, ((1 - alpha) * most + 2 * alpha * modal) / (1 + alpha)


def _two_sides(pair: tuple[Fraction, Fraction], alpha: Fraction) -> Fraction:
    """Return how many of two kinds, counted and not, are guessed right (Eq. 6.9)."""
    one, other = pair
    right = max(one, alpha * other) + max(alpha * one, other)
    return right / (1 + alpha)


def _agreed(bounds: Iterable[Bounds | None], wholes: pd.Series) -> pd.Series:
    """Divide both bounds, and return what they are rounded to if it is the same.

    As many decimals as `shares` have.
    """
    found = []
    for each, whole, digits in zip(bounds, wholes, digits_of(wholes), strict=True):
        rounded = {round(end / int(whole), int(digits)) for end in each or ()}
        is_known = len(rounded) == 1 and digits > 0
        found.append(float(rounded.pop()) if is_known else float("nan"))
    return pd.Series(found, index=wholes.index, dtype="float64")


def _utility(alphas: Iterable[Fraction], counts: Mapping[str, pd.Series]) -> pd.Series:
    """Return the oblivious mechanism's utility, from counts as they are shown."""
    n_records, n_matching = counts["n_records"], counts["n_matching"]
    bounds: list[Bounds | None] = []
    for n, matching, alpha in zip(n_records, n_matching, alphas, strict=True):
        if pd.isna(matching) or pd.isna(n):
            bounds.append(None)
            continue
        right = _two_sides(
            (Fraction(int(n - matching)), Fraction(int(matching))), alpha
        )
        bounds.append((right, right))
    return _agreed(bounds, n_records)


def _of_pair(
    sensitive: pd.DataFrame, useful: pd.DataFrame, n_records: pd.Series
) -> dict[str, pd.Series]:
    """Return how well either attribute is inferred from the other, and the scenario."""
    found = {
        "sensitive_from_useful": _avoided(sensitive, n_records),
        "useful_from_sensitive": _avoided(useful, n_records),
    }
    is_known = pd.DataFrame(found).notna().all(axis="columns")
    both = (frame[["modal", "known"]] for frame in (sensitive, useful))
    counts = pd.concat([n_records, *both], axis="columns")
    letters = [
        _scenario(*map(int, row)) if known else ""
        for row, known in zip(counts.to_numpy(), is_known, strict=True)
    ]
    return found | {"scenario": pd.Series(letters, n_records.index, dtype="str")}


def _avoided(guessed: pd.DataFrame, n_records: pd.Series) -> pd.Series:
    """Return the share of the errors of the best guess that go away."""
    modal = guessed["modal"]
    return shares(guessed["known"] - modal, n_records - modal)


def _scenario(
    n: int, modal: int, known: int, useful_modal: int, useful_known: int
) -> str:
    """Return the letter of Example 33, from counts as they are shown."""
    found = Dependence(
        sensitive=Inference(Fraction(modal, n), Fraction(known, n)),
        useful=Inference(Fraction(useful_modal, n), Fraction(useful_known, n)),
    )
    return found.scenario()


def _alphas(table: pd.DataFrame) -> list[Fraction]:
    alpha_of = {text: Epsilon.parse(text).alpha for text in table["epsilon"].unique()}
    return [alpha_of[text] for text in table["epsilon"]]


def _covered(table: pd.DataFrame, cells: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Put the cells in the table, and name those of its numbers that are empty."""
    public = table.assign(**cells)
    numbers = [name for name in table.columns if name in cells and name != "scenario"]
    return cover(public, public[numbers].isna())
