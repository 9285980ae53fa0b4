"""Independent implementations agree on tables without missing values.

With missing values they do not, and each differs in its own way (TRAPS): that
a missing value is one value is tested against tests/naive.py instead.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

from tests.assessing import assess
from tests.examples import thinned

bvmlib = pytest.importorskip("bvmlib", reason="needs the oracles group")
privattacks = pytest.importorskip("privattacks", reason="needs the oracles group")
qif = pytest.importorskip("qif", reason="needs the oracles group")

pytestmark = pytest.mark.oracle
QIDS = ["school", "year", "sex", "race"]


@pytest.fixture(params=range(3), ids=["small", "medium", "uneven"])
def people(request):
    rng = np.random.default_rng(request.param)
    n = (40, 300, 500)[request.param]
    columns = {
        "school": rng.integers(0, 12, n),
        "year": rng.geometric(0.3, n),
        "sex": rng.choice(["1", "2"], n),
        "race": rng.choice(list("012345"), n, p=[0.3, 0.3, 0.1, 0.27, 0.02, 0.01]),
        "special": rng.choice(["no", "yes"], n, p=[0.9, 0.1]),
    }
    return pd.DataFrame({name: column.astype(str) for name, column in columns.items()})


def ours(people, qids, sensitive):
    found = assess(people, qids, [sensitive], subsets="full").set_index("sensitive")
    return found.loc[""], found.loc[sensitive]


def subsets():
    return [
        list(chosen)
        for size in range(1, len(QIDS) + 1)
        for chosen in itertools.combinations(QIDS, size)
    ]


@pytest.mark.parametrize("qids", thinned(subsets()), ids="-".join)
def test_privattacks_finds_the_same_prior_and_posterior(people, qids):
    attack = privattacks.Attack(privattacks.Data(dataframe=people.copy()))
    crs, cas = ours(people, qids, "special")
    assert attack.prior_vulnerability("reid") == pytest.approx(crs.prior_prob)
    assert attack.posterior_vulnerability("reid", qids) == pytest.approx(
        crs.posterior_prob
    )
    prior = attack.prior_vulnerability("ai", ["special"])["special"]
    posterior = attack.posterior_vulnerability("ai", qids, ["special"])["special"]
    assert (prior, posterior) == pytest.approx((cas.prior_prob, cas.posterior_prob))


@pytest.mark.parametrize("qids", thinned(subsets()), ids="-".join)
def test_bvmlib_finds_the_same_successes(people, qids):
    attack = bvmlib.BVM(people.copy())
    attack.qids(qids)
    attack.sensitive(["special"])
    theirs = attack.assess()
    crs, cas = ours(people, qids, "special")
    for table, mine, det, prob in (
        ("re_id", crs, "dCR", "pCR"),
        ("att_inf", cas, "dCA", "pCA"),
    ):
        row = theirs[table].iloc[0]
        assert float(row[det]) == pytest.approx(mine.posterior_det)
        assert float(row["Prior"]) == pytest.approx(mine.prior_prob)
        assert float(row["Posterior"]) == pytest.approx(mine.posterior_prob)
        assert float(row[prob]) == pytest.approx(mine.degradation_prob)


@pytest.mark.parametrize("qids", thinned(subsets()), ids="-".join)
def test_qif_finds_the_same_bayes_vulnerability(people, qids):
    blocks = people.groupby(qids).ngroup().to_numpy()
    values = people["special"].factorize()[0]
    joint = np.zeros((values.max() + 1, blocks.max() + 1))
    np.add.at(joint, (values, blocks), 1 / len(people))
    prior = joint.sum(axis=1)
    channel = joint / prior[:, None]
    crs, cas = ours(people, qids, "special")
    assert qif.measure.bayes_vuln.prior(prior) == pytest.approx(cas.prior_prob)
    posterior = qif.measure.bayes_vuln.posterior(prior, channel)
    assert posterior == pytest.approx(cas.posterior_prob)
    leakage = qif.measure.bayes_vuln.min_entropy_leakage
    assert leakage(prior, channel) == pytest.approx(cas.min_entropy_leakage)
    each = np.full(len(people), 1 / len(people))
    records = np.eye(blocks.max() + 1)[blocks]
    assert qif.measure.bayes_vuln.posterior(each, records) == pytest.approx(
        crs.posterior_prob
    )
    assert leakage(each, records) == pytest.approx(crs.min_entropy_leakage)
