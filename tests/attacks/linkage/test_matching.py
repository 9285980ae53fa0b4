"""Chances of blocks, however large or small, and what becomes of ties."""

from collections import Counter
from fractions import Fraction
from math import comb, exp, factorial, fsum, log
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.linkage.definitions.links import chances
from microleak.attacks.linkage.definitions.quality import (
    BOUNDS,
    CERTAIN,
    LIKELY,
    N_BINS,
)
from microleak.attacks.linkage.kernels.matching import (
    Blocks,
    exact_chances,
    pair_chances,
)
from microleak.attacks.linkage.kernels.pairs import sum_if_both, tally_pairs
from microleak.attacks.linkage.measure import sizes_unlike
from microleak.attacks.linkage.transitions import Arrivals
from tests.examples import long

N, WEIGHT = 1500, 3


def bin_of(chance):
    """The bin of a chance, of ten of equal width; that of 1 is the last."""
    return min(int(chance * N_BINS), N_BINS - 1)


def exactly(*block):
    """Chances of a block, all of which are exact."""
    found, is_exact = exact_chances(*block)
    assert is_exact.all()
    return found


def chance(n_left):
    """The chance of a pair of N records and some, if all pairs weigh the same."""

    def weight(n, m):
        each = range(m + 1)
        return sum(comb(n, k) * comb(m, k) * factorial(k) * WEIGHT**k for k in each)

    return WEIGHT * weight(N - 1, n_left - 1) / weight(N, n_left)


@pytest.mark.parametrize("columns", [[2, 1], *long([1, 1, 1], [4, 1])])
def test_many_records_that_differ_have_finite_weights(columns):
    firsts = [np.array([0, N]), np.array([0, len(columns)])]
    block = Blocks(*firsts, np.ones(N, dtype=np.int64), np.array(columns))
    weights = np.full(N * len(columns), float(WEIGHT))
    found = exactly(block, weights, np.ones(1))
    assert found == pytest.approx(chance(sum(columns)), rel=1e-11)


@pytest.mark.parametrize("columns", [[1, 1], [2, 1], [1, 1, 1]])
@pytest.mark.parametrize("weight", [1e-250, 1e250])
def test_weights_near_the_ends_of_floats_have_chances(columns, weight):
    firsts = [np.array([0, 3]), np.array([0, len(columns)])]
    block = Blocks(*firsts, np.ones(3, dtype=np.int64), np.array(columns))
    weights = np.full(3 * len(columns), weight)
    found = exactly(block, weights, np.ones(1))
    expected = weight if weight < 1 else 1 / 3
    assert found == pytest.approx(expected, rel=1e-12)


def expected_pairs(n_rows, n_columns, weight):
    """Pairs expected among records that are alike, from the logarithms of weights."""
    few, many = sorted([n_rows, n_columns])
    logs = [0.0]
    for k in range(few):
        logs.append(logs[-1] + log((few - k) * (many - k) / (k + 1)) + log(weight))
    each = [exp(one - max(logs)) for one in logs]
    return fsum(k * one for k, one in enumerate(each)) / fsum(each)


def alike(n_rows, n_columns, weight):
    first = np.array([0, 1])
    block = Blocks(first, first, np.array([n_rows]), np.array([n_columns]))
    found = exactly(block, np.ones(1), np.array([weight]))
    return found[0] * n_rows * n_columns


def test_many_records_alike_are_linked_as_often_as_they_stay(overlap, n, pairs):
    weight = float(Arrivals(overlap, 0.25, 0.5).scales(np.array([n]))[0])
    found = alike(n, n, weight)
    assert found == pytest.approx(pairs, abs=0.05)
    assert found == pytest.approx(expected_pairs(n, n, weight), rel=1e-11)


@pytest.mark.parametrize("sides", [(300, 300), (1000, 1000), (1000, 100), (30, 1000)])
@pytest.mark.parametrize("weight", [1e-6, 1e-3, 4.7e-3, 0.1, 1.0, 1e3, 1e100])
def test_many_records_that_are_alike_have_exact_chances(sides, weight):
    expected = pytest.approx(expected_pairs(*sides, weight), rel=1e-11)
    assert alike(*sides, weight) == expected
    assert alike(*sides[::-1], weight) == expected


def test_alike_records_in_two_rows_and_columns_have_the_chances_of_one():
    n, weight = 100, 0.02
    first, halves = np.array([0, 2]), np.array([n // 4, n - n // 4])
    block = Blocks(first, first, np.array([40, 60]), halves)
    found = exactly(block, np.full(4, weight), np.ones(1))
    assert found == pytest.approx(expected_pairs(n, n, weight) / n**2, rel=1e-11)


@pytest.mark.parametrize("n_alike", [1, 4])
def test_one_pair_far_likelier_than_all_is_left_to_belief(n, weight, other, n_alike):
    shape = n, n // n_alike
    firsts = [np.array([0, length]) for length in shape]
    counts = np.ones(n, dtype=np.int64), np.full(shape[1], n_alike)
    weights, expected = np.full(shape, other), np.zeros(shape)
    weights[3, 1], expected[3, 1] = weight, 1 / n_alike
    asked = Blocks(*firsts, *counts), weights.ravel(), np.ones(1)
    found, is_exact = exact_chances(*asked)
    assert not is_exact.any()
    assert not found.any()
    found, is_exact = pair_chances(*asked)
    assert not is_exact.any()
    assert found.reshape(shape) == pytest.approx(expected, abs=1e-12)


def test_one_pair_likelier_than_the_others_is_exact_while_floats_hold_it():
    ones, first = np.ones(8, dtype=np.int64), np.array([0, 8])
    weights = np.append(1e25, np.zeros(63))
    found = exactly(Blocks(first, first, ones, ones), weights, np.ones(1))
    assert found.tolist() == [1.0] + [0.0] * 63


def whole(weights):
    """The weight of all matchings of some rows and columns, of whole weights."""
    of_taken = {0: 1}
    for row in weights:
        further = dict(of_taken)
        for taken, weight in of_taken.items():
            for column, more in enumerate(row):
                if not taken >> column & 1:
                    other = taken | 1 << column
                    further[other] = further.get(other, 0) + weight * more
        of_taken = further
    return sum(of_taken.values())


def without(weights, i, j):
    return [[*row[:j], *row[j + 1 :]] for k, row in enumerate(weights) if k != i]


def test_sizes_are_compared_with_those_of_who_stays_and_who_is_new():
    """A binomial of the focal records, and a Poisson of newcomers."""
    overlap, n, m = 0.7, np.array([1, 4]), np.array([3, 2])
    sizes = SimpleNamespace(blocks=SimpleNamespace(sizes=(n, m)))
    off, of_off, n_all = sizes_unlike(sizes, Arrivals(overlap, 0.5, 0.25))
    expected, spread = 0.0, 0.0
    for n_focal, found in zip(n.tolist(), m.tolist(), strict=True):
        new = 0.5 + 0.25 * n_focal
        chances = {
            stay + come: 0.0 for stay in range(n_focal + 1) for come in range(40)
        }
        for stay in range(n_focal + 1):
            stays = (
                comb(n_focal, stay) * overlap**stay * (1 - overlap) ** (n_focal - stay)
            )
            for come in range(40):
                chances[stay + come] += stays * exp(-new) * new**come / factorial(come)
        mean = n_focal * overlap + new
        squares = {size: (size - mean) ** 2 for size in chances}
        variance = fsum(chances[size] * squares[size] for size in chances)
        expected += (found - mean) ** 2 - variance
        spread += fsum(chances[s] * (squares[s] - variance) ** 2 for s in chances)
    assert (off, of_off, n_all) == pytest.approx((expected, spread, 5))


def short_blocks():
    """Blocks of up to eight records on the smaller side, whose weights are whole."""
    rng = np.random.default_rng(11)
    sides = [(n, n + more) for n in range(1, 9) for more in (0, 1, 3)]
    for n, m in [*sides, *((m, n) for n, m in sides)]:
        yield rng.integers(0, 9, (n, m))


def beside(each):
    """Blocks, and their weights, of records that differ."""
    shapes = np.array([weights.shape for weights in each])
    firsts = [np.concatenate([[0], np.cumsum(n)]) for n in shapes.T]
    blocks = Blocks(*firsts, *(np.ones(first[-1], dtype=np.int64) for first in firsts))
    return blocks, np.concatenate([w.ravel() for w in each]).astype(float)


def test_links_are_summed_by_one_attribute_and_by_whether_another_is_kept():
    rng = np.random.default_rng(3)
    blocks, _ = beside([np.ones((2, 3)), np.ones((3, 1)), np.ones((4, 2))])
    focal, auxiliary = rng.integers(0, 2, (2, 9)), rng.integers(0, 2, (2, 6))
    weights, links = rng.random((2, 6)), rng.random(6 + 3 + 8)
    pairs = [
        (f, a)
        for k in range(3)
        for f in range(*blocks.first_focal[k : k + 2])
        for a in range(*blocks.first_auxiliary[k : k + 2])
    ]
    wanted = [
        fsum(
            link * weights[is_kept, a]
            for (f, a), link in zip(pairs, links, strict=True)
            if focal[0, f] == auxiliary[0, a]
            and (focal[1, f] == auxiliary[1, a]) == is_kept
        )
        for is_kept in (0, 1)
    ]
    codes = (focal[0], auxiliary[0]), (focal[1], auxiliary[1])
    assert sum_if_both(blocks, codes, weights, links) == pytest.approx(wanted)


def test_short_blocks_have_the_chances_of_all_matchings():
    each = list(short_blocks())
    found = exactly(*beside(each), np.full(len(each), 1.0))
    wanted = []
    for weights in (one.tolist() for one in each):
        of_all = whole(weights)
        wanted += [
            Fraction(w * whole(without(weights, i, j)), of_all)
            for i, row in enumerate(weights)
            for j, w in enumerate(row)
        ]
    assert found == pytest.approx(np.array(wanted, dtype=float), rel=1e-12)


def test_chances_of_a_short_block_do_not_depend_on_those_beside_it():
    each = list(short_blocks())
    together, _ = exact_chances(*beside(each), np.full(len(each), 0.3))
    alone = [exact_chances(*beside([one]), np.full(1, 0.3))[0] for one in each]
    assert together.tolist() == np.concatenate(alone).tolist()


def linked(focal, auxiliary, transition="identifiers"):
    found = microleak.linkage(
        *(focal, auxiliary, ["born", "school"]),
        **{"stable": ["born"], "drifting": ["school"], "person_id": "id"},
        transition=transition,
    )
    bins = found.linkage_bins
    bins = bins[bins["n_candidates"] > 0]
    pairs = dict(zip(bins["from_chance"], bins["n_candidates"], strict=True))
    return found.linkage.iloc[0], pairs, found.linked_success.iloc[0]


def people(born, school):
    return pd.DataFrame({"id": range(len(born)), "born": born, "school": school})


BY_HAND = [
    # births, schools, then the links that there are, all of them right
    ([1], [1], 1),
    ([1, 2], [1, 1], 2),
    ([1, 1], [1, 1], 0),
    ([1, 1], [1, 2], 2),
    ([1, 1, 1], [1, 1, 2], 1),
    ([1, 1, 1, 1], [3, 2, 3, 0], 2),
    ([1, 1, 1, 1], [3, 3, 4, 4], 0),
    ([1, 1, 1, 2, 2, 3], [7, 7, 8, 9, 9, 9], 2),
    ([1] * 10, [1] * 10, 0),
    ([1] * 11, [1] * 10 + [2], 1),
    ([1] * 15, [1] * 5 + [*range(2, 12)], 10),
    ([1] * 26, [n // 2 for n in range(26)], 0),
]


@pytest.mark.parametrize("transition", ["identifiers", "estimated"])
@pytest.mark.parametrize(("born", "school", "n_links"), BY_HAND)
def test_people_who_are_alike_are_no_link(born, school, n_links, transition):
    both = people(born, school)
    row, _, _ = linked(both, both, transition)
    assert (row["n_links"], row["n_right"]) == (n_links, n_links)


@pytest.mark.parametrize(("born", "school", "n_links"), BY_HAND)
def test_equal_chances_are_in_one_bin_that_of_their_edge(born, school, n_links):
    both = people(born, school)
    row, pairs, success = linked(both, both)
    wanted = Counter()
    for (birth, _), n in Counter(zip(born, school, strict=True)).items():
        wanted[bin_of(Fraction(1, n)) / N_BINS] += n * n
        others = Counter(born)[birth] - n
        if others:
            wanted[0.0] += n * others
    assert pairs == wanted
    assert row["expected_links"] == pytest.approx(len(born), abs=1e-9)
    linked_by = success["posterior_prob_linked"]
    assert linked_by == pytest.approx(success["posterior_prob_identified"], abs=1e-9)


@pytest.mark.parametrize("n_births", [4_000, 1_000, 100])
@pytest.mark.parametrize("transition", ["identifiers", "estimated"])
def test_two_identical_releases_of_many_people_have_no_false_link(n_births, transition):
    rng = np.random.default_rng(8)
    both = people(rng.integers(0, n_births, 2_000), rng.integers(1, 9, 2_000))
    row, _, _ = linked(both, both, transition)
    n_alone = int((both.groupby(["born", "school"])["id"].transform("size") == 1).sum())
    assert row["n_right"] == row["n_links"]
    if transition == "identifiers":
        assert row["n_links"] == n_alone


def test_who_is_alone_on_either_side_is_found():
    one = people([1], [1])
    for other in (one, one.assign(school=2)):
        row, _, success = linked(one, other)
        assert (row["n_links"], row["n_certain"], row["n_right"]) == (1, 1, 1)
        assert row["expected_links"] == success["posterior_prob_linked"] == 1


def test_links_and_bins_of_small_blocks_are_those_of_all_matchings():
    rng = np.random.default_rng(21)
    n_ties = n_edges = 0
    for _ in range(400):
        n_rows, n_columns = rng.integers(1, 4, 2)
        counts = rng.integers(1, 3, n_rows), rng.integers(1, 3, n_columns)
        weights = [
            [Fraction(int(each), 4) for each in row]
            for row in rng.choice([0, 0, 1, 4, 4, 8], (n_rows, n_columns))
        ]
        alike = [
            [w for w, n in zip(row, counts[1], strict=True) for _ in range(n)]
            for row, n in zip(weights, counts[0], strict=True)
            for _ in range(n)
        ]
        exact = [chance for row in chances(alike) for chance in row]
        firsts = np.array([0, n_rows]), np.array([0, n_columns])
        block = Blocks(*firsts, *counts)
        given = np.array([float(w) for row in weights for w in row])
        found, _ = pair_chances(block, given, np.ones(1))
        n_pairs, _, called = tally_pairs(block, found, np.zeros(1, np.int64), BOUNDS)
        bins = Counter(map(bin_of, exact))
        assert n_pairs[0].tolist() == [bins[n] for n in range(N_BINS)]
        n_links = sum(each > LIKELY for each in exact)
        assert called[0].tolist() == [n_links, sum(e >= CERTAIN for e in exact)]
        assert n_links <= min(map(sum, counts))
        n_ties += sum(each == LIKELY for each in exact)
        n_edges += sum((each * N_BINS).denominator == 1 for each in exact)
    assert n_ties > 20
    assert n_edges > 200


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3, 1e12, 1e24])
def test_chances_of_a_record_add_up_to_one_at_most_where_they_are_believed(weight):
    rng = np.random.default_rng(3)
    for n in (2, 5, 9):
        rows, columns = rng.integers(1, 4, (2, n))
        first, weights = np.array([0, n]), weight * rng.random((n, n))
        block = Blocks(first, first, rows, columns)
        found, is_exact = pair_chances(block, weights.ravel(), np.ones(1), 0)
        assert not is_exact.any()
        found = found.reshape(n, n)
        assert (found @ columns).max() < 1 + 1e-12
        assert (rows @ found).max() < 1 + 1e-12


@pytest.mark.parametrize("n", [2, 3, 4, 5, 10])
def test_belief_has_the_chances_of_records_that_are_alike_and_all_there(n):
    first, counts = np.array([0, 6]), np.full(6, n)
    block = Blocks(first, first, counts, counts)
    found, is_exact = pair_chances(block, np.eye(6).ravel(), np.full(1, 1e24), 0)
    assert not is_exact.any()
    assert found.reshape(6, 6) == pytest.approx(np.eye(6) / n, abs=1e-9)
    n_pairs, _, called = tally_pairs(block, found, np.ones(1, np.int64), BOUNDS)
    assert n_pairs[1, bin_of(Fraction(1, n))] == 6 * n * n
    assert called.sum() == 0
