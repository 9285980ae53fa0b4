from collections import Counter
from math import comb, inf

import pytest

from benchmarks.sample import all_subsets, stratified


def sizes(subsets):
    return Counter(subset.bit_count() for subset in subsets)


def test_a_draw_has_every_size_in_proportion_and_two_at_least():
    drawn = sizes(stratified(11, 205, seed=1))
    assert drawn == {1: 2, 2: 6, 3: 17, 4: 33, 5: 46, 6: 46, 7: 33, 8: 17, 9: 6} | {
        10: 2,
        11: 1,
    }


def test_all_subsets_are_drawn_if_as_many_are_wanted():
    drawn = stratified(6, 63, seed=1)
    assert sorted(drawn) == list(range(1, 64))


def test_the_seed_decides_the_draw():
    assert stratified(11, 40, seed=1) == stratified(11, 40, seed=1)
    assert stratified(11, 40, seed=1) != stratified(11, 40, seed=2)


def test_all_subsets_measured_are_summed_without_an_error():
    found = all_subsets([[1, 2, 3], [4, 5, 6], [7]])
    assert (found.total_s, found.error_s) == (28, 0)


def test_means_stand_for_the_subsets_that_were_not_drawn():
    found = all_subsets([[2.0] * 2, [3.0] * 2, [4.0] * 2, [5.0]])
    assert found.total_s == comb(4, 1) * 2 + comb(4, 2) * 3 + comb(4, 3) * 4 + 5
    assert found.error_s == 0


def test_the_error_is_that_of_a_draw_without_replacement():
    # 2 of the 3 of size 1: 3 * (3 - 2) * variance 2 / 2 drawn.
    found = all_subsets([[1.0, 3.0], [1.0] * 3, [1.0]])
    assert found.error_s == pytest.approx(3**0.5)


def test_one_of_several_subsets_says_nothing_of_their_spread():
    assert all_subsets([[1.0], [1.0]]).error_s == inf
