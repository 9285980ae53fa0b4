"""g-vulnerability of every subset, against records guessed one block after another."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.g_leakage.definitions import (
    GLeakage,
    g_vulnerability,
    vulnerability_in_tries,
)
from microleak.attacks.g_leakage.kernels import BestGuess, Tries, best_gains
from microleak.kernels import keys
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.walk import Work
from tests import naive
from tests.examples import examples
from tests.property.tables import attribute, records, tables


@st.composite
def guessed_tables(draw):
    """QIDs, the value of each record as a number, and gains by guess and number."""
    qids, (sensitive,) = draw(
        tables(max_sensitive=1).filter(lambda table: len(table[1]) == 1)
    )
    n_values = draw(st.integers(1, 5))
    numbers = {value: i % n_values for i, value in enumerate(dict.fromkeys(sensitive))}
    of_guess = st.lists(st.integers(-9, 9), min_size=n_values, max_size=n_values)
    gains = draw(st.lists(of_guess, min_size=1, max_size=4))
    return qids, [numbers[value] for value in sensitive], gains


def gained(qids, coded, counter, **work):
    table = in_memory([attribute(q) for q in qids], [coded])
    wanted = np.arange(1 << len(qids))
    found = best_gains(table, wanted, counter, Work(**work))
    return {subset: (gain, n_blocks) for subset, gain, n_blocks in found}


def marked(numbers, n_values):
    return AttributeCodes(np.array(numbers), n_values, is_marked=True)


def best_by_block(rows, numbers, gains):
    blocks = naive.blocks(rows).values()
    best = [max(sum(g[numbers[i]] for i in block) for g in gains) for block in blocks]
    return sum(best), len(blocks)


@given(guessed_tables())
def test_gains_are_those_of_the_best_guess_of_each_block(table):
    qids, numbers, gains = table
    counter = partial(BestGuess, gains=np.array(gains))
    found = gained(qids, marked(numbers, len(gains[0])), counter)
    for subset, both in found.items():
        assert both == best_by_block(records(qids, subset), numbers, gains)
    counts = np.bincount(numbers, minlength=len(gains[0])).tolist()
    prior = g_vulnerability(counts, gains)
    assert prior == Fraction(found[0][0], len(numbers))


@given(guessed_tables(), st.integers(1, 4))
def test_of_several_tries_one_is_right(table, n_tries):
    qids, numbers, _ = table
    found = gained(qids, attribute(numbers), partial(Tries, n_tries=n_tries))
    for subset, (gain, n_blocks) in found.items():
        blocks = naive.blocks(records(qids, subset)).values()
        counts = [np.bincount([numbers[i] for i in block]).tolist() for block in blocks]
        of_blocks = (vulnerability_in_tries(c, n_tries) * sum(c) for c in counts)
        assert (gain, n_blocks) == (sum(of_blocks), len(blocks))


@given(guessed_tables(), st.integers(1, 3))
@examples(50)
def test_neither_buckets_nor_threads_nor_words_change_a_gain(table, n_threads):
    qids, numbers, gains = table
    coded = marked(numbers, len(gains[0]))
    counter = partial(BestGuess, gains=np.array(gains))
    whole = gained(qids, coded, counter)
    work = {"n_threads": n_threads, "rows_a_bucket": 2, "tally_bytes": 64}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "LAST_BITS", 6)
        patch.setattr(keys, "WORD_BITS", 3)
        patch.setattr(keys, "RANK_BITS", 50)
        assert gained(qids, coded, counter, **work) == whole


@given(guessed_tables())
def test_leakage_is_never_below_nothing_nor_above_the_capacity(table):
    qids, numbers, gains = table
    counter = partial(BestGuess, gains=np.array(gains))
    found = gained(qids, marked(numbers, len(gains[0])), counter)
    has_costs = min(map(min, gains)) < 0
    prior = Fraction(found[0][0], len(numbers))
    for gain, n_blocks in found.values():
        leaked = GLeakage(prior, Fraction(gain, len(numbers)), n_blocks, has_costs)
        assert leaked.additive_g_leakage >= 0
        ratio = leaked.multiplicative_g_leakage
        if has_costs or not prior:
            assert (ratio, leaked.g_leakage) == (None, None)
        else:
            assert 1 <= ratio <= leaked.capacity == n_blocks
