"""bvmlib agrees on panels in which every person is in every release.

It knows no panels: it is given the joined table, with all columns of a subset's
QIDs as its quasi-identifiers.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

from tests.panels import collective

bvmlib = pytest.importorskip("bvmlib", reason="needs the oracles group")

pytestmark = pytest.mark.oracle
QIDS = ("home", "school", "stage")
SUBSETS = [
    chosen for size in (1, 2, 3) for chosen in itertools.combinations(QIDS, size)
]


def release(rng, n, stay):
    """Persons of one year by identifier; some live and learn elsewhere than before."""
    moves = rng.random(n) > stay
    return {
        f"{i:04}": {
            "home": str(i % 17 + (7 if moves[i] else 0)),
            "school": str(i % 23 + (rng.integers(5) if moves[i] else 0)),
            "stage": str(rng.integers(3)),
            "special": "yes" if i % 11 == 0 else "no",
        }
        for i in range(n)
    }


@pytest.fixture(scope="module")
def releases():
    rng = np.random.default_rng(5)
    return {year: release(rng, 300, stay=0.8) for year in ("2014", "2015", "2016")}


@pytest.fixture(scope="module")
def measures(releases, tmp_path_factory):
    folder = tmp_path_factory.mktemp("panel")
    found = collective(folder, releases, QIDS, ["special"])
    return found.set_index(["auxiliary", "qids", "sensitive"])


def joined(releases, years):
    """The panel as one table, a column for each attribute and release."""
    parts = [
        pd.DataFrame.from_dict(releases[year], orient="index").add_suffix(f"_{year}")
        for year in years
    ]
    return pd.concat(parts, axis="columns").reset_index(drop=True)


@pytest.mark.parametrize("qids", SUBSETS, ids="-".join)
@pytest.mark.parametrize("n_auxiliary", [0, 1, 2])
def test_bvmlib_finds_the_same_successes(releases, measures, qids, n_auxiliary):
    years = list(releases)[: n_auxiliary + 1]
    attack = bvmlib.BVM(joined(releases, years))
    attack.qids([f"{qid}_{year}" for year in years for qid in qids])
    attack.sensitive(["special_2014"])
    theirs = attack.assess()
    auxiliary = "|".join(years[1:])
    for table, sensitive, det in (("re_id", "", "dCR"), ("att_inf", "special", "dCA")):
        row = theirs[table].iloc[0]
        mine = measures.loc[auxiliary, "|".join(qids), sensitive]
        assert float(row[det]) == pytest.approx(mine["posterior_det"])
        assert float(row["Prior"]) == pytest.approx(mine["prior_prob"])
        assert float(row["Posterior"]) == pytest.approx(mine["posterior_prob"])
