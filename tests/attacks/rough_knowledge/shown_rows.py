"""A table of rough knowledge, made from numbers that can be seen here."""

import pandas as pd

from microleak.study.tables import result_tables as specs


def row(sensitive, rough, exact, claims=(0.5, 0.25), qids="SEX|AGE"):
    """One row, of 100 records; success by Bayes, and exactly."""
    claimed, right = claims
    return {
        "analysis": "roughly",
        "table": "census",
        "focal": "2018",
        "qids": qids,
        "n_qids": qids.count("|") + 1,
        "roughly": "AGE",
        "sensitive": sensitive,
        "n_records": 100,
        "prior_prob": 0.01,
        "posterior_det": rough / 2,
        "posterior_prob": rough,
        "posterior_det_exact": exact / 2,
        "posterior_prob_exact": exact,
        "claimed": claimed,
        "claimed_right": right,
        "claims_that_hold": right / claimed if claimed else None,
    }


def known(*rows):
    return pd.DataFrame(rows, columns=specs()["rough_knowledge"].names)


ROUGH = known(row("", 0.4, 0.8), row("ILL", 0.7, 0.9, (0.0, 0.0)))

EXAMPLES = {"roughly": {"rough_knowledge": ROUGH}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
