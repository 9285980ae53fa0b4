"""A table of groups at risk, made from numbers that can be seen here."""

import pandas as pd

from microleak.study.tables import result_tables as specs


def row(
    value, n_members, n_certain, sensitive="", qids="SEX|AGE", n_records=1_000, **more
):
    """One row, of records of which the adversary is certain of 250."""
    others = (250 - n_certain) / (n_records - n_members)
    return {
        "analysis": "at-risk",
        "table": "census",
        "focal": "2018",
        "by": "RACE",
        "attribute": "RACE",
        "kind": "value",
        "value": value,
        "is_missing": str(value is None).lower(),
        "qids": qids,
        "n_qids": qids.count("|") + 1,
        "sensitive": sensitive,
        "n_records": n_records,
        "n_members": n_members,
        "n_certain": n_certain,
        "n_certain_of_all": 250,
        "posterior_det": n_certain / n_members,
        "prior_prob": 0.001,
        "posterior_prob": 0.5,
        "additive_leakage": 0.499,
        "posterior_prob_of_all": 0.5,
        "risk_ratio_det": n_certain / n_members / others if others else None,
        "risk_ratio_prob": 1.0,
        **more,
    }


def groups(*rows):
    return pd.DataFrame(rows, columns=specs()["risk_groups"].names)


GROUPS = groups(
    row(None, 20, 20),
    row("1", 780, 130),
    row("2", 200, 100),
    row("1", 780, 100, "ILL"),
    row("2", 200, 150, "ILL"),
)

EXAMPLES = {"at-risk": {"risk_groups": GROUPS}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
