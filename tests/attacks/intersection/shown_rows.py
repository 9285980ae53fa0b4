"""A table of independent releases, made from numbers that can be seen here."""

from math import nan

import pandas as pd

from microleak.study.tables import result_tables as specs


def row(n_releases, n_possible, shares, truth=(nan,) * 5):
    """One row, of 200 records: shares left and believed, alone first; who is right."""
    names = ("posterior_det_single", "posterior_det")
    names += ("posterior_prob_single", "posterior_prob")
    right = ("n_in_all", "claimed", "claims_that_hold", "right_single", "right")
    return {
        "analysis": "crossed",
        "table": "census",
        "focal": "2018",
        "auxiliary": "2019" if n_releases > 1 else "",
        "qids": "SEX|BIRTH",
        "n_qids": 2,
        "sensitive": "ILL",
        "n_releases": n_releases,
        "n_records": 200,
        "n_possible": n_possible,
        **dict(zip(names, shares, strict=True)),
        **dict(zip(right, truth, strict=True)),
    }


def crossed(*rows):
    return pd.DataFrame(rows, columns=specs()["intersection"].names)


CROSSED = crossed(
    row(1, 200, (0.25, 0.25, 0.5, 0.5), (200, 0.25, 1.0, 0.5, 0.5)),
    row(2, 160, (0.3, 0.6, 0.55, 0.75), (150, 0.6, 0.9, 0.5, 0.7)),
)

EXAMPLES = {"crossed": {"intersection": CROSSED}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
