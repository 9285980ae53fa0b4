"""Of how many persons a value may be any, for who knows all QIDs: changed and tried."""

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.collective.margin import margin
from microleak.disclosure.rounding import counts_of, percent
from tests.attacks.collective.test_published import publish
from tests.panels import collective

QIDS = ("age", "street", "sex")


def town(seed, n=1_060):
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(0, 40, n),
        "street": rng.integers(0, 30, n),
        "sex": rng.integers(0, 2, n),
        "ill": rng.choice(["no", "flu", "cough"], n, p=[0.6, 0.3, 0.1]),
    }
    return pd.DataFrame(columns).astype(str)


def measured(folder, people):
    rows = {f"{i:06}": row for i, row in enumerate(people.to_dict("records"))}
    found = collective(folder, {"2": rows}, QIDS, ("ill",))
    return found[found["sensitive"] == "ill"]


@pytest.mark.parametrize("seed", range(6))
def test_so_many_values_may_be_any_and_the_page_is_the_same(tmp_path, seed):
    people, rng = town(seed), np.random.default_rng(seed)
    _, shown = publish(tmp_path, people.to_dict("records"), QIDS, ("ill",))
    n = margin(measured(tmp_path, people))
    for _ in range(4):
        places = rng.choice(len(people), n, replace=False)
        other = people.copy()
        other.loc[places, "ill"] = rng.choice(["no", "flu", "cough", "else"], n)
        _, again = publish(tmp_path, other.to_dict("records"), QIDS, ("ill",))
        pd.testing.assert_frame_equal(again, shown)


def rows(*counts, n=1_000, prior=600):
    """Measures of sets of QIDs: their number of QIDs and of right guesses."""
    return pd.DataFrame(
        [
            {"n_qids": k, "n_modal": m, "n_records": n, "prior_prob": prior / n}
            for k, m in counts
        ]
    )


def test_it_is_the_distance_to_the_nearest_edge():
    assert margin(rows((1, 720))) == 29
    assert margin(rows((1, 660))) == 10
    assert margin(rows((1, 700), prior=649)) == 0
    assert margin(rows((1, 1_000), prior=995)) == 45


def test_no_other_set_of_qids_becomes_the_worst():
    """An earlier one with the same share would, a later one only with a larger."""
    assert margin(rows((1, 700), (2, 640), (2, 700))) == 9
    assert margin(rows((1, 700), (2, 700), (2, 740))) == 9
    assert margin(rows((1, 700), (2, 700), (2, 660))) == 49


@pytest.mark.parametrize("n", [1_000, 1_001, 2_003, 5_001, 10_007])
def test_counts_of_a_share_are_those_that_round_to_it(n):
    step = {1_000: 10, 1_001: 10, 2_003: 5, 5_001: 2, 10_007: 1}[n]
    shares = percent(pd.Series(range(n + 1)), n, step)
    for share in range(0, 101, step):
        found = np.flatnonzero(shares == share)
        assert counts_of(share, n, step) == (found[0], found[-1])
