"""Published successes and what a twin has in their place.

Both files hold facts of Nunes 2021, posterior successes in percent; without QIDs
it is the prior. published.csv: tables 4.4, 4.7, 4.8 (2018), E.3, E.6, E.7 (2019)
and 5.5, 5.8 (2014 to 2017) of the School Census. One success is left out, a slip
of table 4.8: the deterministic one of birth municipality and school, which is below
that of the school alone. published_higher_education.csv: tables F.3, F.9, F.10
(2018), F.6, F.14, F.15 (2019) and F.21, F.24 (2014 to 2017) of the Higher
Education Census, by the newest names.
"""

import csv
from pathlib import Path

import pytest

POINTS, POINTS_OF_PRIOR = 3.0, 1.0


def rows(file):
    """Rows of a file beside this one."""
    return list(csv.DictReader(Path(__file__).with_name(file).open()))


def name(row):
    """Name of a row's test."""
    return "-".join(row[key] for key in ("table", "releases", "qids", "sensitive"))


def measured(twin, row, any_qid):
    """Successes of a row in percent; `any_qid` stands in where only a prior is asked.

    The row's releases are the focal one and then the auxiliary ones.
    """
    qids = tuple(row["qids"].split("|")) if row["qids"] else (any_qid,)
    measures = twin.measures(tuple(row["releases"].split("|")), qids)
    return 100 * measures.loc[row["sensitive"]].filter(regex="_(det|prob)$")


def assert_posterior_is_near(found, row):
    """Check a row's posterior successes, those that are printed."""
    assert found["posterior_prob"] == pytest.approx(float(row["prob_pct"]), abs=POINTS)
    if row["det_pct"]:
        published = float(row["det_pct"])
        assert found["posterior_det"] == pytest.approx(published, abs=POINTS)


def assert_prior_is_near(found, row):
    """Check a row's prior success."""
    published = float(row["prob_pct"])
    assert found["prior_prob"] == pytest.approx(published, abs=POINTS_OF_PRIOR)
