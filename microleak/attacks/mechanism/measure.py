"""What noise buys and costs, as tables, from the table of counts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.mechanism.contingency import (
    Contingency,
    read_contingency,
    released_values,
)
from microleak.attacks.mechanism.counts import (
    CountNoise,
    check_present,
    context_of,
    known,
    noises_of,
)
from microleak.attacks.mechanism.definitions.attack_context import (
    AttackContext,
    PrivacyAndUtility,
)
from microleak.attacks.mechanism.definitions.dependence import (
    Dependence,
    Inference,
    count_leakage,
    dependence,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import (
    MechanismBounds,
    bounds,
    oblivious,
)
from microleak.attacks.mechanism.definitions.simulation import (
    half_width,
    random_samples,
    right_guesses,
    spread,
)
from microleak.attacks.mechanism.section import OBLIVIOUS, Count, Mechanism, Samples
from microleak.base.arrays import Integers
from microleak.base.errors import TableError, refused_in
from microleak.base.progress import progress
from microleak.definitions.epsilon import Epsilon
from microleak.tables.spec import tables_of

MOST_CELLS = 1 << 30
"""Most pairs of values of two attributes."""

CELLS_AT_ONCE = 1 << 20
"""Pairs of values that are measured at once, about."""


def check_sizes(pair: Contingency, names: tuple[str, str], where: str) -> None:
    """Refuse two attributes of too many values."""
    sizes = len(pair.first_values), len(pair.second_values)
    if sizes[0] * sizes[1] > MOST_CELLS:
        raise TableError(
            f"{where}: {names[0]} has {sizes[0]:,} values and {names[1]} {sizes[1]:,}, "
            f"together more than {MOST_CELLS:,} pairs. Remove one of them from "
            "attributes."
        )


def measured_pair(
    pair: Contingency, epsilons: Sequence[Epsilon]
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `pairs` from `scenario` on, a row an epsilon."""
    both = dependence_in(pair)
    which = {
        "scenario": both.scenario(),
        "n_records": int(pair.n_records.sum()),
        "n_sensitive_values": len(pair.first_values),
        "n_useful_values": len(pair.second_values),
        "prior": float(both.sensitive.prior),
        "sensitive_from_useful": float(both.sensitive.normalised_leakage),
        "useful_from_sensitive": float(both.useful.normalised_leakage),
    }
    for epsilon in epsilons:
        found = _Leaking.of(pair, epsilon.alpha)
        noise = {"epsilon": epsilon.text, "alpha": float(epsilon.alpha)}
        yield which | noise | found.columns


def dependence_in(pair: Contingency) -> Dependence:
    """Return how well each attribute is inferred from the other."""
    # As `dependence.dependence` says, from the pairs that occur.
    return Dependence(
        sensitive=_inference(pair.first, pair.second, pair.n_records),
        useful=_inference(pair.second, pair.first, pair.n_records),
    )


def _inference(wanted: Integers, known: Integers, n_records: Integers) -> Inference:
    n = int(n_records.sum())
    most = np.zeros(known.max() + 1, dtype=np.int64)
    np.maximum.at(most, known, n_records)
    return Inference(
        prior=Fraction(int(_totals(wanted, n_records).max()), n),
        posterior=Fraction(int(most.sum()), n),
    )


def _totals(places: Integers, n_records: Integers) -> Integers:
    totals = np.zeros(places.max() + 1, dtype=np.int64)
    np.add.at(totals, places, n_records)
    return totals


@dataclass(frozen=True)
class _Leaking:
    """The counts of all useful values with one noise."""

    n_counts: int  # Counts that tell anything of the sensitive attribute
    worst: PrivacyAndUtility  # The one that tells most
    limit: Fraction  # The most that any tells without noise

    @classmethod
    def of(cls, pair: Contingency, alpha: Fraction) -> "_Leaking":
        """Measure every count of one value of a pair, at one alpha."""
        parts = [count_leakage(part, alpha) for part in _parts(pair)]
        # The last column of each part is the other useful values together.
        noisy = [each for part in parts for each in part.noisy[:-1]]
        noise_free = [each for part in parts for each in part.noise_free[:-1]]
        return cls(
            n_counts=sum(each.privacy_loss > 1 for each in noisy),
            worst=max(noisy, key=lambda each: each.posterior),
            limit=max(each.privacy_loss for each in noise_free),
        )

    @property
    def columns(self) -> dict[str, Any]:
        return {
            "n_leaking_counts": self.n_counts,
            "posterior": float(self.worst.posterior),
            "privacy_loss": float(self.worst.privacy_loss),
            "privacy_loss_limit": float(self.limit),
        }


def _parts(pair: Contingency) -> Iterator[NDArray[np.int64]]:
    """Yield the table some useful values at a time, and all others as one column."""
    # The count of a value does not depend on how the others are told apart.
    n_first, n_second = len(pair.first_values), len(pair.second_values)
    totals = _totals(pair.first, pair.n_records)
    order = np.argsort(pair.second, kind="stable")
    first, second, n = (a[order] for a in (pair.first, pair.second, pair.n_records))
    width = max(1, CELLS_AT_ONCE // n_first)
    for start in range(0, n_second, width):
        stop = min(start + width, n_second)
        inside = slice(*np.searchsorted(second, [start, stop]))
        part = np.zeros((n_first, stop - start + 1), dtype=np.int64)
        part[first[inside], second[inside] - start] = n[inside]
        part[:, -1] = totals - part.sum(axis=1)
        yield part


TABLES = tables_of("microleak.attacks.mechanism")


def measured(
    context: AttackContext, noises: Sequence[CountNoise]
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `mechanism` from `scenario` on, a row a noise."""
    limits = bounds(context)
    which = _described(context)
    with progress("measuring noise", len(noises)) as advance:
        for noise in noises:
            found = noise.measure(context)
            yield {
                **which,
                **noise.columns,
                "alpha": float(noise.epsilon.alpha),
                **_measures(found, limits),
                **_shown(limits),
                "absolute_error": float(known(*noise.absolute_error(context))),
            }
            advance(1)


def _measures(found: PrivacyAndUtility, limits: MechanismBounds) -> dict[str, float]:
    """Return what was found, none of it below what no count would give."""
    posterior = known(found.posterior, found.error)
    loss = known(found.privacy_loss, found.privacy_loss_error)
    return {
        "prior": float(found.prior),
        "posterior": float(max(found.prior, posterior)),
        "privacy_loss": float(max(limits.loss_floor, loss)),
        "utility": float(max(limits.utility_floor, known(found.utility, found.error))),
    }


def _described(context: AttackContext) -> dict[str, Any]:
    both = dependence(context.counts)
    return {
        "scenario": both.scenario(),
        "sensitive_from_useful": float(both.sensitive.normalised_leakage),
        "useful_from_sensitive": float(both.useful.normalised_leakage),
        "n_records": context.n_records,
        "n_matching": context.n_counted,
        "n_sensitive_values": len(context.counts),
        "n_useful_values": len(context.is_counted),
    }


def _shown(limits: MechanismBounds) -> dict[str, float]:
    return {
        "privacy_loss_limit": float(limits.loss_noise_free),
        "privacy_loss_limit_printed": float(limits.loss_ceiling_printed),
        "utility_floor": float(limits.utility_floor),
        "utility_floor_printed": float(limits.utility_floor_printed),
    }


def sampled(
    context: AttackContext, noises: Sequence[CountNoise], samples: Samples, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `samples` from `model` on: a row a noise and measure."""
    found = list(_measured(context, noises, samples, seed))
    size = {
        "n_records": context.n_records,
        "n_samples": samples.number,
        "n_sampled": samples.size,
    }
    for i, noise in enumerate(noises):
        mine = [each[i] for each in found]
        losses = [known(each.privacy_loss, each.privacy_loss_error) for each in mine]
        utilities = [known(each.utility, each.error) for each in mine]
        for measure, values in (("privacy_loss", losses), ("utility", utilities)):
            spreads = _spread([float(value) for value in values])
            yield {**noise.columns, **size, "measure": measure, **spreads}


def _measured(
    context: AttackContext, noises: Sequence[CountNoise], samples: Samples, seed: int
) -> Iterator[list[PrivacyAndUtility]]:
    """Yield what each noise makes of each sample."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    drawn = random_samples(context.counts, samples.size, samples.number, rng)
    with progress("measuring samples", samples.number) as advance:
        for counts in drawn:
            sample = AttackContext(counts, context.is_counted)
            yield [noise.measure(sample) for noise in noises]
            advance(1)


def _spread(values: Sequence[float]) -> dict[str, float]:
    found = spread(values)
    mean_low, mean_high = found.of_mean
    return {
        "mean": found.mean,
        "standard_error": found.standard_error,
        "mean_low": mean_low,
        "mean_high": mean_high,
        "low": found.lower,
        "median": median(values),
        "high": found.upper,
    }


def simulated(
    context: AttackContext, noises: Sequence[CountNoise], analysis: Mechanism, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `simulated` from `model` on: two rows an epsilon."""
    count = analysis.count
    if count is None or count.simulated is None:
        return
    drawn = [noise for noise in noises if noise.model == OBLIVIOUS]
    with progress("simulating noise", len(drawn)) as advance:
        for noise in drawn:
            rng = _generator(analysis, count, noise, seed)
            yield from _drawn(context, noise, count.simulated.draws, rng)
            advance(1)


def _drawn(
    context: AttackContext, noise: CountNoise, n_draws: int, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    alpha = noise.epsilon.alpha
    exact = oblivious(context, alpha)
    found = right_guesses(context, alpha, n_draws, rng)
    measures = {
        "posterior": (exact.posterior, found.posterior),
        "utility": (exact.utility, found.utility),
    }
    for measure, (chance, share) in measures.items():
        yield {
            **noise.columns,
            "n_draws": n_draws,
            "measure": measure,
            "exact": float(chance),
            "simulated": float(share),
            "bound": half_width(n_draws),
        }


def _generator(
    analysis: Mechanism, count: Count, noise: CountNoise, seed: int
) -> np.random.Generator:
    """Return the generator of one epsilon of a count."""
    # It follows from the seed, the records that count, what is counted of them and
    # alpha; further epsilons, models and samples change nothing.
    settings = [
        *(analysis.table, analysis.focal, analysis.filter),
        *(count.sensitive, count.useful, str(count.predicate)),
        *map(str, noise.epsilon.alpha.as_integer_ratio()),
    ]
    text = json.dumps(settings, sort_keys=True)
    key = np.frombuffer(sha256(text.encode()).digest(), dtype="<u4")
    return np.random.default_rng(
        np.random.SeedSequence(seed, spawn_key=tuple(map(int, key)))
    )


TableRows = list[dict[str, Any]]


@dataclass(frozen=True)
class MechanismTables:
    """The tables of one analysis (docs/results.md describes their columns)."""

    mechanism: pd.DataFrame
    samples: pd.DataFrame
    simulated: pd.DataFrame
    pairs: pd.DataFrame


def mechanism_tables(path: Path, analysis: Mechanism, seed: int) -> MechanismTables:
    """Return privacy loss and utility of the noisy counts of an analysis."""
    whole, samples, draws = _of_count(path, analysis, seed)
    return MechanismTables(
        TABLES["mechanism"].frame(whole),
        TABLES["samples"].frame(samples),
        TABLES["simulated"].frame(draws),
        TABLES["pairs"].frame(_pairs(path, analysis)),
    )


def _of_count(
    path: Path, analysis: Mechanism, seed: int
) -> tuple[TableRows, TableRows, TableRows]:
    """Return the rows of one count: on all records, on samples of them, of draws."""
    count = analysis.count
    if count is None:
        return [], [], []
    context = _context(path, analysis, count)
    noises = noises_of(analysis, context.is_counted)
    which = _which(analysis) | _who(count)
    with refused_in(_where(analysis)):
        of_samples = count.samples and sampled(context, noises, count.samples, seed)
        samples = [which | row for row in of_samples or ()]
    return (
        [which | row for row in measured(context, noises)],
        samples,
        [which | row for row in simulated(context, noises, analysis, seed)],
    )


def _context(path: Path, analysis: Mechanism, count: Count) -> AttackContext:
    useful = int(count.useful != count.sensitive)
    release = f"{analysis.table} {analysis.focal}"
    released = released_values(path, useful).to_pylist()
    check_present(released, count, release, _where(analysis))
    return context_of(_pair(path, 0, useful), count, _where(analysis))


def _where(analysis: Mechanism) -> str:
    return f"analysis {analysis.name!r}"


def _which(analysis: Mechanism) -> dict[str, Any]:
    return {"analysis": analysis.name, "table": analysis.table, "focal": analysis.focal}


def _who(count: Count) -> dict[str, Any]:
    return {
        "sensitive": count.sensitive,
        "useful": count.useful,
        "predicate": count.predicate.kind,
        "predicate_values": count.predicate.written_values,
    }


def _pairs(path: Path, analysis: Mechanism) -> Iterator[dict[str, Any]]:
    names, epsilons = (
        analysis.attributes or (),
        [*map(Epsilon.parse, analysis.epsilons)],
    )
    with progress("measuring pairs", len(names) ** 2) as advance:
        for i, j in product(range(len(names)), repeat=2):
            pair = _pair(path, i, j)
            check_sizes(pair, (names[i], names[j]), _where(analysis))
            for row in measured_pair(pair, epsilons):
                yield {
                    **_which(analysis),
                    "sensitive": names[i],
                    "useful": names[j],
                    **row,
                }
            advance(1)


def _pair(path: Path, i: int, j: int) -> Contingency:
    """Return the records by the values of two attributes, the i-th first."""
    if i <= j:
        return read_contingency(path, (i, j))
    return read_contingency(path, (j, i)).transposed
