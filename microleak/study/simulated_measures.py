"""How often guesses from a random noisy count are right, beside the exact chances."""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from microleak.attacks.attack_context import AttackContext
from microleak.attacks.oblivious_mechanism import oblivious
from microleak.attacks.simulation import half_width, right_guesses
from microleak.progress import progress
from microleak.study.mechanism_model import OBLIVIOUS, Count, Mechanism
from microleak.study.noise import Noise


def simulated(
    context: AttackContext, noises: Sequence[Noise], analysis: Mechanism, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `SIMULATED` from `model` on: two rows an epsilon.

    Parameters
    ----------
    context
        All records.
    noises
        Those of the oblivious mechanism are drawn, each from a generator of its own;
        the local ones would draw a report of every record each time.
    analysis
        Of one count. Without `simulated` there is no row.
    seed
        Of the study.
    """
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
    context: AttackContext, noise: Noise, n_draws: int, rng: np.random.Generator
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
    analysis: Mechanism, count: Count, noise: Noise, seed: int
) -> np.random.Generator:
    """Return the generator of one epsilon of a count.

    It follows from the seed, the records that count, what is counted of them and
    alpha; further epsilons, models and samples change nothing.
    """
    settings = [
        *(analysis.table, analysis.focal, analysis.keep),
        *(count.sensitive, count.useful, str(count.predicate)),
        *map(str, noise.epsilon.alpha.as_integer_ratio()),
    ]
    text = json.dumps(settings, sort_keys=True)
    key = np.frombuffer(sha256(text.encode()).digest(), dtype="<u4")
    return np.random.default_rng(
        np.random.SeedSequence(seed, spawn_key=tuple(map(int, key)))
    )
