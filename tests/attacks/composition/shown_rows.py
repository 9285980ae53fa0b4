"""A table of several noisy counts, made from numbers that can be seen here."""

import pandas as pd

from microleak.study.tables import result_tables as specs


def row(epsilon, n_counts, posterior, alpha, bound):
    """One row, of 100 records of which 60 have one value."""
    return {
        "analysis": "several",
        "table": "census",
        "focal": "2018",
        "sensitive": "ILL",
        "epsilon": epsilon,
        "n_counts": n_counts,
        "useful": "AGE",
        "values": "1",
        "n_records": 100,
        "n_matching": 30,
        "alpha": alpha,
        "prior": 0.6,
        "posterior": posterior,
        "privacy_loss": None if posterior is None else posterior / 0.6,
        "privacy_loss_limit": None if posterior is None else 1.5,
        "posterior_bound": bound,
    }


def several(*rows):
    return pd.DataFrame(rows, columns=specs()["composition"].names)


COUNTS = several(
    row("ln 2", 1, 0.65, 0.5, 0.75),
    row("ln 2", 2, 0.62, 0.7, 0.75),
    row("ln 9", 1, 0.75, 0.1, 0.93),
    row("ln 9", 2, 0.8, 0.3, 0.93),
)

EXAMPLES = {"several": {"composition": COUNTS}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
