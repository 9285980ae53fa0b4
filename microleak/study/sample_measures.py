"""What noise buys and costs for one count, on random samples of the records."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import numpy as np

from microleak.attacks.attack_context import AttackContext, PrivacyAndUtility
from microleak.attacks.sub_samples import random_samples, spread
from microleak.progress import progress
from microleak.study.mechanism_model import Samples
from microleak.study.noise import Noise, known


def sampled(
    context: AttackContext, noises: Sequence[Noise], samples: Samples, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `SAMPLES` from `model` on: a row a noise and measure.

    Parameters
    ----------
    context
        All records.
    noises
        All are measured on the same samples.
    samples
        How many, and how large.
    seed
        Of the study.

    Raises
    ------
    StudyError
        If a sample has more records than there are.
    """
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
    context: AttackContext, noises: Sequence[Noise], samples: Samples, seed: int
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
