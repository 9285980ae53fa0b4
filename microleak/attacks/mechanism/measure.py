"""What noise buys and costs, as tables, from the table of counts."""

import json
from collections.abc import Iterable, Iterator, Sequence
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
from microleak.attacks.mechanism.definitions import simulation
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
from microleak.attacks.mechanism.section import OBLIVIOUS, Count, Mechanism, Samples
from microleak.base.arrays import Integers
from microleak.base.errors import TableError, refused_in
from microleak.base.progress import progress
from microleak.definitions.epsilon import Epsilon
from microleak.definitions.exact import kind_sums, largest_by
from microleak.records.subsets import which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

MOST_CELLS = 1 << 30  # Most pairs of values of two attributes
CELLS_AT_ONCE = 1 << 20  # Pairs of values that are measured at once, about


def check_sizes(pair: Contingency, names: tuple[str, str], where: str) -> None:
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
    of_pair = {
        "scenario": both.scenario(),
        "n_records": int(pair.n_records.sum()),
        "n_sensitive_values": len(pair.first_values),
        "n_useful_values": len(pair.second_values),
        "prior": float(both.sensitive.prior),
        "sensitive_from_useful": float(both.sensitive.normalised_leakage),
        "useful_from_sensitive": float(both.useful.normalised_leakage),
    }
    for epsilon in epsilons:
        noise = {"epsilon": epsilon.text, "alpha": float(epsilon.alpha)}
        yield of_pair | noise | _leaking(pair, epsilon.alpha)


def dependence_in(pair: Contingency) -> Dependence:
    # As `dependence.dependence` says, from the pairs that occur.
    n = pair.n_records
    return Dependence(
        _inference(pair.first, pair.second, n), _inference(pair.second, pair.first, n)
    )


def _inference(wanted: Integers, known: Integers, n_records: Integers) -> Inference:
    n = int(n_records.sum())
    prior = kind_sums(wanted, n_records, int(wanted.max()) + 1).max()
    most = largest_by(known, n_records, int(known.max()) + 1)
    return Inference(
        prior=Fraction(int(prior), n), posterior=Fraction(int(most.sum()), n)
    )


def _leaking(pair: Contingency, alpha: Fraction) -> dict[str, Any]:
    """Measure every count of one value of a pair, at one alpha."""
    parts = [count_leakage(part, alpha) for part in _parts(pair)]
    # The last column of each part is the other useful values together.
    noisy = [each for part in parts for each in part.noisy[:-1]]
    noise_free = [each for part in parts for each in part.noise_free[:-1]]
    worst = max(noisy, key=lambda each: each.posterior)
    return {
        "n_leaking_counts": sum(each.privacy_loss > 1 for each in noisy),
        "posterior": float(worst.posterior),
        "privacy_loss": float(worst.privacy_loss),
        "privacy_loss_limit": float(max(each.privacy_loss for each in noise_free)),
    }


def _parts(pair: Contingency) -> Iterator[NDArray[np.int64]]:
    """Yield the table some useful values at a time, and all others as one column."""
    # The count of a value does not depend on how the others are told apart.
    n_first, n_second = len(pair.first_values), len(pair.second_values)
    totals = kind_sums(pair.first, pair.n_records, n_first)
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
    limits, of_context = bounds(context), _described(context)
    with progress("measuring noise", len(noises)) as advance:
        for noise in noises:
            found = noise.measure(context)
            yield {
                **of_context,
                **noise.columns,
                "alpha": float(noise.epsilon.alpha),
                **_measures(found, limits),
                "privacy_loss_limit": float(limits.loss_noise_free),
                "privacy_loss_limit_printed": float(limits.loss_ceiling_printed),
                "utility_floor": float(limits.utility_floor),
                "utility_floor_printed": float(limits.utility_floor_printed),
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
    drawn = simulation.random_samples(context.counts, samples.size, samples.number, rng)
    with progress("measuring samples", samples.number) as advance:
        for counts in drawn:
            sample = AttackContext(counts, context.is_counted)
            yield [noise.measure(sample) for noise in noises]
            advance(1)


def _spread(values: Sequence[float]) -> dict[str, float]:
    found = simulation.spread(values)
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
    found = simulation.right_guesses(context, alpha, n_draws, rng)
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
            "bound": simulation.half_width(n_draws),
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


def mechanism_tables(
    path: Path, analysis: Mechanism, seed: int
) -> dict[str, pd.DataFrame]:
    rows: dict[str, Iterable[dict[str, Any]]] = dict.fromkeys(TABLES, ())
    if count := analysis.count:
        rows |= _of_count(path, analysis, count, seed)
    rows["pairs"] = _pairs(path, analysis)
    return {name: as_table(TABLES[name], of_table) for name, of_table in rows.items()}


def _of_count(
    path: Path, analysis: Mechanism, count: Count, seed: int
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of one count: on all records, on samples of them, of draws."""
    useful = int(count.useful != count.sensitive)
    release = f"{analysis.table} {analysis.focal}"
    released = released_values(path, useful).to_pylist()
    check_present(released, count, release, _where(analysis))
    context = context_of(_pair(path, 0, useful), count, _where(analysis))
    noises = noises_of(analysis, context.is_counted)
    with refused_in(_where(analysis)):
        of_samples = count.samples and sampled(context, noises, count.samples, seed)
        found = {"samples": [*(of_samples or ())]}
    found["mechanism"] = [*measured(context, noises)]
    found["simulated"] = [*simulated(context, noises, analysis, seed)]
    who = which(analysis, ()) | {
        "sensitive": count.sensitive,
        "useful": count.useful,
        "predicate": count.predicate.kind,
        "predicate_values": count.predicate.written_values,
    }
    return {name: [who | row for row in rows] for name, rows in found.items()}


def _where(analysis: Mechanism) -> str:
    return f"analysis {analysis.name!r}"


def _pairs(path: Path, analysis: Mechanism) -> Iterator[dict[str, Any]]:
    names = analysis.attributes or ()
    epsilons = [*map(Epsilon.parse, analysis.epsilons)]
    with progress("measuring pairs", len(names) ** 2) as advance:
        for i, j in product(range(len(names)), repeat=2):
            pair = _pair(path, i, j)
            check_sizes(pair, (names[i], names[j]), _where(analysis))
            of_pair = {"sensitive": names[i], "useful": names[j]}
            for row in measured_pair(pair, epsilons):
                yield which(analysis, ()) | of_pair | row
            advance(1)


def _pair(path: Path, i: int, j: int) -> Contingency:
    """Return the records by the values of two attributes, the i-th first."""
    if i <= j:
        return read_contingency(path, (i, j))
    return read_contingency(path, (j, i)).transposed
