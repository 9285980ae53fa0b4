"""Values that depend on a drifting parent of few records, as a school on the home."""

import numpy as np
import pytest

import microleak
from tests.attacks.linkage.test_shares import two_years

N, N_OF_SCHOOLS = 20_000, 90
ROLES = {"stable": ["birth", "sex"], "qids": ["birth", "sex"], "person_id": "id"}


def with_homes():
    """Two years of people in homes of two, of whom many leave and keep the school.

    Nine of ten have the school of their home when they come to it.
    """
    rng = np.random.default_rng(2)
    homes = rng.integers(0, N, (2, 2 * N))
    school_of_home = rng.integers(0, N_OF_SCHOOLS, N)
    drawn = rng.integers(0, N_OF_SCHOOLS, homes.shape)
    schools = np.where(rng.random(homes.shape) < 0.9, school_of_home[homes], drawn)
    leaves = rng.random(2 * N) < 0.4
    is_new = rng.random(2 * N) < np.where(leaves, 0.3, 0.05)
    later = np.where(leaves, *homes[::-1]), np.where(is_new, *schools[::-1])
    first, second = two_years(N, N // 3, 6)
    each = (first, homes[0], schools[0]), (second, *later)
    return [
        frame.assign(home=home[frame["id"]], school=school[frame["id"]])
        for frame, home, school in each
    ]


def test_a_record_is_no_witness_of_what_its_own_home_has():
    """Counted with the record, a school is common wherever few live."""
    found = microleak.linkage(*with_homes(), drifting=["home", "school"], **ROLES)
    row, bins = found.linkage.iloc[0], found.linkage_bins
    assert row["parents"] == "school=home"
    assert row["expected_links"] == pytest.approx(row["n_true"], rel=0.01)
    many = bins[bins["n_candidates"] > 2_000]
    assert (many["mean_chance"] - many["share_right"]).abs().max() < 0.01
