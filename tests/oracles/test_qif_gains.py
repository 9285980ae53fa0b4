"""qif agrees, in exact fractions, on gains of guesses through the channel of blocks.

The value of a person is the secret and its block what the adversary sees: the channel's
entries are shares of the persons with a value who are in a block.
"""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from microleak.attacks.g_leakage.definitions import g_vulnerability
from microleak.attacks.g_leakage.kernels import BestGuess, best_gains
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.walk import Work
from tests.examples import seeds

qif = pytest.importorskip("qif", reason="needs the oracles group")

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("seed", seeds(12))
def test_prior_and_posterior_are_those_of_qif(seed):
    rng = np.random.default_rng([4, seed])
    n, n_values, n_blocks, n_guesses = 60, 4, 9, 5
    values = np.concatenate([np.arange(n_values), rng.integers(0, n_values, n)])
    block = np.concatenate([np.zeros(n_values, int), rng.integers(0, n_blocks, n)])
    gains = rng.integers(0, 8, (n_guesses, n_values))
    counts = np.zeros((n_values, n_blocks), dtype=int)
    np.add.at(counts, (values, block), 1)
    of_value = counts.sum(axis=1)
    prior = np.array([Fraction(int(k), len(values)) for k in of_value])
    channel = np.array(
        [
            [Fraction(int(k), int(of_value[x])) for k in counts[x]]
            for x in range(n_values)
        ]
    )
    gain = np.array([[Fraction(int(g), 7) for g in row] for row in gains])
    theirs = (
        qif.measure.g_vuln.prior(gain, prior),
        qif.measure.g_vuln.posterior(gain, prior, channel),
    )
    table = in_memory(
        [AttributeCodes(block, n_blocks)],
        [AttributeCodes(values, n_values, is_marked=True)],
    )
    counter = partial(BestGuess, gains=gains)
    ((_, total, _),) = best_gains(table, np.array([1]), counter, Work())
    ours = (
        g_vulnerability(of_value.tolist(), gain.tolist()),
        Fraction(total, 7 * len(values)),
    )
    assert tuple(map(Fraction, theirs)) == ours
    capacity = sum(max(column) for column in channel.T)
    assert ours[1] / ours[0] <= capacity <= n_blocks
