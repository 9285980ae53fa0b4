"""Links and bins at their thresholds, where several records are equally likely."""

from collections import Counter
from fractions import Fraction

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
    bin_of,
)
from microleak.attacks.linkage.kernels.matching import Blocks, pair_chances
from microleak.attacks.linkage.kernels.pairs import tally_pairs


def linked(focal, auxiliary, transition="identifiers"):
    """The links of two releases of a birth and a school, and their bins."""
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
    """People of these births and schools."""
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
def test_people_who_are_alike_are_no_link_in_two_identical_releases(
    born, school, n_links, transition
):
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
