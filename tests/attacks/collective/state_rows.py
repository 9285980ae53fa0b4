"""Rows of states and what is drawn of them, for the tests of each figure."""

from functools import cache

import pandas as pd
import pytest

from microleak.attacks.collective.figures.state_trends import (
    importance_heat,
    state_explained,
    state_posteriors,
    state_years,
)
from microleak.attacks.collective.figures.states import PLACES, state_heat, state_map
from tests.figures.reading import words


@cache
def row(state, year, n_qids, prior, leakage):
    """One row of `measures/states.csv` with what figures draw."""
    posterior = None if prior is None or leakage is None else prior + leakage
    return {
        **{"analysis": "lines", "table": "sia_pa", "state": state, "year": year},
        **{"sensitive": "PA_PROC_ID", "n_qids": n_qids},
        **{"n_records": 1_000 * len(PLACES) + 100 * ord(state[0]), "prior_prob": prior},
        **{"posterior_prob": posterior, "additive_leakage": leakage},
        **{"sensitive_entropy": 6.5, "qids_entropy": 10.0 + n_qids},
        "mean_block_size": 2.0 + (leakage or 0),
    }


ROWS = pd.DataFrame(
    [
        row("RR", "2022", 2, 0.0625, 0.375),
        row("SE", "2022", 2, 0.05, 0.2),
        row("RR", "2023", 1, 0.0625, 0.25),
        row("SE", "2023", 1, 0.05, 0.125),
        row("AC", "2023", 1, 0.15, 0.225),
        row("RR", "2023", 2, 0.0625, 0.5),
        row("SE", "2023", 2, 0.05, 0.19),
        row("AC", "2023", 2, 0.15, 0.425),
    ]
)
EXPLAINED = pd.DataFrame(
    [
        {"year": year, "n_qids": n, "explained_by": name, "r_squared": fit}
        for year, n, name, fit in [
            ("2022", 2, "n_records", 0.99),
            ("2023", 1, "n_records", 0.98),
            ("2023", 2, "n_records", 0.25),
            ("2023", 2, "qids_entropy", None),
            ("2023", 2, "qids_entropy|mean_block_size", 0.5),
        ]
    ]
)


def collective(prior, posteriors):
    """Collective measures of one state: the posterior of each subset."""
    return pd.DataFrame(
        [
            {"qids": q, "n_qids": len(q), "prior_prob": prior, "posterior_prob": p}
            for q, p in posteriors.items()
        ]
    )


def importance(known, without):
    """Importance in one state: the posterior without each QID."""
    return pd.DataFrame(
        [
            {"qid": q, "posterior_prob": known, "posterior_prob_without": share}
            for q, share in without.items()
        ]
    )


COLLECTIVE = {
    "RR": collective(0.0625, {"A": 0.3125, "B": 0.1, "AB": 0.5625}),
    "SE": collective(0.05, {"A": 0.175, "B": 0.06, "AB": 0.24}),
    "AC": collective(0.15, {"A": 0.375, "B": 0.2, "AB": 0.575}),
}
IMPORTANCE = {
    "RR": importance(0.5625, {"A": 0.5, "B": 0.3125}),
    "SE": importance(0.24, {"A": 0.24, "B": 0.15}),
    "AC": importance(0.575, {"A": 0.375, "B": 0.475}),
}
DRAW = {
    **{"map": state_map, "heat": state_heat, "years": state_years},
    "posteriors": lambda rows, said: state_posteriors(rows, COLLECTIVE, said),
    "explained": lambda rows, said: state_explained(rows, EXPLAINED, said),
    "importance": lambda rows, said: importance_heat(rows, IMPORTANCE, said),
}
every_figure = pytest.mark.parametrize("kind", DRAW)


@cache
def drawn(kind):
    return DRAW[kind](ROWS, words())
