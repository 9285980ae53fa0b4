"""Queries of a seed, sizes that cannot be, and the memory that attacks take."""

from functools import partial

import numpy as np
import pytest

from microleak.attacks.reconstruction.definitions.least_squares_reconstruction import (
    HadamardQueries,
)
from microleak.attacks.reconstruction.definitions.limits import check_memory, n_bytes
from microleak.attacks.reconstruction.definitions.subset_queries import (
    BLOCK_WORDS,
    AllSubsets,
    RandomSubsets,
    all_subsets,
    random_database,
)
from microleak.attacks.reconstruction.kernels.subset_sums import (
    packed_entries,
    unpacked_entries,
)
from microleak.base.errors import StudyError
from tests.reconstructing import bits


def test_random_subsets_of_a_seed_stay_what_they_are():
    words = RandomSubsets(70, 2, 2021).words()
    again = [list(RandomSubsets(70, 2, 2021).blocks()) for _ in range(2)]
    assert np.array_equal(again[0], again[1])
    assert [f"{word:x}" for word in words.ravel()] == [
        "54632aa94b20390d",
        "2",
        "48087c19d6a06757",
        "8",
    ]


def test_random_subsets_beyond_the_first_block_stay_what_they_are():
    words = RandomSubsets(64, BLOCK_WORDS + 2, 2021).words()
    assert words.shape == (BLOCK_WORDS + 2, 1)
    assert [f"{word:x}" for word in words[-3:, 0]] == [
        "a6b917daa30c3d06",
        "f68558e90747d39f",
        "9fa2efde1a621c1b",
    ]


def test_every_entry_is_in_a_random_subset_with_chance_one_half():
    shares = unpacked_entries(RandomSubsets(70, 40_000, 1).words(), 70).mean(axis=0)
    assert shares == pytest.approx([0.5] * 70, abs=0.015)


def test_all_subsets_come_in_the_order_of_their_bits():
    assert all_subsets(3).words()[:, 0].tolist() == list(range(8))
    assert packed_entries(bits(0, 1, 1)).tolist() == [6]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (partial(RandomSubsets, 1, 5, 1), "database of 1 entries"),
        (partial(random_database, 1, 1), "database of 1 entries"),
        (partial(HadamardQueries, 1, 1, 1), "database of 1 entries"),
        (partial(RandomSubsets, 5, 0, 1), "0 queries give nothing away"),
        (partial(HadamardQueries, 5, 0, 1), "0 queries give nothing away"),
        (partial(all_subsets, 1), "database of 1 entries"),
        (partial(all_subsets, 31), "All subsets of 31 entries cannot be asked"),
        (partial(AllSubsets, 3, 7), "there must be 2\\*\\*n queries"),
    ],
)
def test_sizes_that_cannot_be_are_refused(made, said):
    with pytest.raises(StudyError, match=said):
        made()


@pytest.mark.parametrize(
    "attack", ["exponential", "linear", "least_squares", "l1", "hadamard"]
)
def test_an_attack_beyond_the_memory_allowed_is_refused_with_what_it_takes(attack):
    needed_mb = -(-n_bytes(attack, 25, 10**6) // 10**6)
    check_memory(attack, 25, 10**6, needed_mb)
    with pytest.raises(StudyError, match=f"takes about {needed_mb} MB, and"):
        check_memory(attack, 25, 10**6, needed_mb - 1)


def test_the_smallest_setting_takes_what_the_libraries_do():
    with pytest.raises(StudyError, match="takes about 268 MB"):
        check_memory("l1", 8, 64, 200)


def test_the_memory_of_an_unknown_attack_is_refused():
    with pytest.raises(StudyError, match=r"'liner'. Did you mean 'linear'"):
        n_bytes("liner", 25, 100)
