"""A table of gains, made from numbers that can be seen here."""

from math import log2

import pandas as pd

from microleak.study.tables import result_tables as specs


def row(qids, posterior, n_blocks):
    """One row, where 60 of 100 are guessed right in two tries without any facts."""
    return {
        "analysis": "two-tries",
        "table": "census",
        "focal": "2018",
        "qids": qids,
        "n_qids": qids.count("|") + 1,
        "sensitive": "ILL",
        "n_tries": 2,
        "n_records": 100,
        "prior_vulnerability": 0.6,
        "posterior_vulnerability": posterior,
        "additive_g_leakage": posterior - 0.6,
        "multiplicative_g_leakage": posterior / 0.6,
        "g_leakage": log2(posterior / 0.6),
        "capacity": n_blocks,
    }


GAINS = pd.DataFrame(
    [row("SEX", 0.62, 2), row("AGE", 0.75, 9), row("SEX|AGE", 0.9, 17)],
    columns=specs()["g_leakage"].names,
)

EXAMPLES = {"two-tries": {"g_leakage": GAINS}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
