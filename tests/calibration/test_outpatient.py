"""The twin's outpatient data give away what the released ones gave away.

At fifty units a state; docs/twin.md lists the distances of all states.
"""

from functools import cache

import pytest

from tests.calibration.conftest import SEEDS
from tests.calibration.outpatient import measured, reduced
from tests.calibration.published import of_states

pytestmark = pytest.mark.long

LEAKAGES, POSTERIORS = of_states("2"), of_states("3")

STATES = ["RR", "AC", "SE", "DF", "RJ"]
SIZES = [str(n) for n in range(1, 8)]
POINTS, POINTS_OF_PRIOR = 3.0, 1.0

tables = cache(lambda state, seed: measured(state, reduced(state), seed))

each_state = pytest.mark.parametrize("state", STATES)
each_seed = pytest.mark.parametrize("seed", SEEDS)


@each_seed
@each_state
def test_the_prior_is_within_one_point_of_the_published(state, seed):
    found, _ = tables(state, seed)
    published_prior = LEAKAGES.loc[state, "none"]
    assert found["none"] == pytest.approx(published_prior, abs=POINTS_OF_PRIOR)


@each_seed
@pytest.mark.parametrize("n_qids", SIZES)
@each_state
def test_the_leakage_of_the_best_qids_is_within_three_points_of_the_published(
    state, n_qids, seed
):
    found, _ = tables(state, seed)
    assert found[n_qids] == pytest.approx(LEAKAGES.loc[state, n_qids], abs=POINTS)


@each_seed
@pytest.mark.parametrize("qid", [qid for qid in POSTERIORS if qid != "PA_CODUNI"])
@each_state
def test_without_one_of_the_patients_qids_the_posterior_is_within_three_points(
    state, qid, seed
):
    _, without = tables(state, seed)
    assert without[qid] == pytest.approx(POSTERIORS.loc[state, qid], abs=POINTS)


@each_seed
@each_state
def test_no_qid_weighs_as_much_as_the_unit(state, seed):
    _, without = tables(state, seed)
    assert min(without, key=without.get) == "PA_CODUNI"
