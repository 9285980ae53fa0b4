"""Tables of a known protection, made from numbers that can be seen here."""

import pandas as pd

from microleak.study.tables import result_tables as specs


def row(sensitive, before, after, claims=(0.5, 0.25)):
    """One row, of 100 records; success before, and after."""
    claimed, right = claims
    return {
        "analysis": "known",
        "table": "census",
        "focal": "swapped",
        "release": "2018",
        "qids": "SEX|AGE",
        "n_qids": 2,
        "sensitive": sensitive,
        "n_records": 100,
        "n_protected": 100,
        "prior_prob": 0.01,
        "posterior_det": after / 4,
        "posterior_prob": after,
        "posterior_det_before": before / 2,
        "posterior_prob_before": before,
        "claimed": claimed,
        "claimed_right": right,
        "claims_that_hold": right / claimed if claimed else None,
    }


def cells(attribute, n_cells, n_undone):
    """One row, of an attribute with ten values."""
    return {
        "analysis": "known",
        "table": "census",
        "focal": "swapped",
        "release": "2018",
        "attribute": attribute,
        "n_cells": n_cells,
        "n_suppressed": n_cells,
        "n_values": 10,
        "mean_values_left": 7.5 if n_cells else None,
        "n_undone": n_undone,
    }


_ROWS = [row("", 0.8, 0.4), row("ILL", 0.9, 0.7, (0.0, 0.0))]
KNOWN = pd.DataFrame(_ROWS, columns=specs()["known_protection"].names)
"""Success of the attacks."""

CELLS = pd.DataFrame(
    [cells("SEX", 0, 0), cells("AGE", 24, 3)], columns=specs()["undone_cells"].names
)
"""Suppressed cells."""

EXAMPLES = {"known": {"known_protection": KNOWN, "undone_cells": CELLS}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
