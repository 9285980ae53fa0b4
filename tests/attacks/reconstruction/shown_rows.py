"""Tables of rebuilt databases, made from numbers that can be seen here."""

import pandas as pd

from microleak.attacks.reconstruction.rows import rebuilt
from microleak.study.tables import result_tables as specs

BAD_POINTS = tuple(specs()["bad_points"].names)
RECONSTRUCTION = tuple(specs()["reconstruction"].names)

RANDOM = {"database": "random", "density": 0.5} | dict.fromkeys(
    ("table", "release", "attribute", "value"), ""
)
PERSONS = {
    **{"database": "drawn", "density": None, "table": "people", "release": "1"},
    **{"attribute": "ILL", "value": "1"},
}


def attempt(n_queries, bound, n_right, **columns):
    """One row of `measures/reconstruction` of 16 entries, half of them 1."""
    claimed = {"n_entries": 16, "n_claimed": 16} | columns
    n = claimed["n_entries"]
    is_exact = n_right == n
    return {
        **{"analysis": "roots", "attack": "linear", **RANDOM},
        **{"n_ones": n // 2, "prior": 0.5, "repeat": 1, "limit_s": 600},
        **{"queries": f"{n_queries}", "n_queries": n_queries, "error": f"{bound}"},
        **{"error_bound": float(bound), "assumed_bound": float(bound)},
        **{"noise": "uniform", "epsilon": "", "outliers": 0.0, "status": "solved"},
        **{"n_right": n_right, "share_right": n_right / n, "is_exact": is_exact},
        **{"is_consistent": is_exact if claimed["n_claimed"] == n else None},
        **{"n_violated": 0, "is_proven": False, "n_candidates": None, "diameter": None},
        **claimed,
    }


def counted(n_entries, n_bad, n_feasible, n_bad_feasible, **columns):
    """One row of `measures/bad_points`, of 1,000 points."""
    return {
        **{"analysis": "points", "n_entries": n_entries, "repeat": 1},
        **{"queries": "n*log2(n)**2", "n_queries": 27, "error": "0.5*sqrt(n)"},
        **{"error_bound": 1.118033, "noise": "uniform", "epsilon": ""},
        **{"n_steps": 4, "distance": 0.1, "n_points": 1_000, "share_bad_grid": 0.99},
        **{"n_bad": n_bad, "n_feasible": n_feasible, "share_bad": n_bad / 1_000},
        **{
            "n_bad_feasible": n_bad_feasible,
            "share_bad_feasible": n_bad_feasible / 1e3,
            "bad_feasible_bound": 1.0,
        },
        **columns,
    }


def results(*rows):
    """Return attempts as a table, each of a database of its own."""
    types = dict.fromkeys(("n_candidates", "diameter", "limit_s"), "Int64")
    return pd.DataFrame(_seeded(rows), columns=[*RECONSTRUCTION]).astype(types)


def points(*rows):
    """Return points as a table, each before a database of its own."""
    return pd.DataFrame(_seeded(rows), columns=[*BAD_POINTS])


def _seeded(rows):
    return [{"seed": number, **row} for number, row in enumerate(rows, 1)]


def shown(*rows):
    return rebuilt(results(*rows), points())


GRID = (
    *(attempt(32, 0, 16), attempt(32, 0, 16, repeat=2)),
    *(attempt(32, 2, 16), attempt(32, 2, 12, repeat=2)),
    *(attempt(32, 4, 8, n_claimed=12), attempt(32, 4, 4, n_claimed=6, repeat=2)),
    *(attempt(64, 0, 16), attempt(64, 0, 16, repeat=2)),
    *(attempt(64, 2, 16), attempt(64, 2, 16, repeat=2)),
    *(attempt(64, 4, 16), attempt(64, 4, 14, is_consistent=True, repeat=2)),
)
"""Two databases for each of two numbers of queries and three bounds of noise."""

EXAMPLES = {
    "roots": {"reconstruction": results(*GRID), "bad_points": points()},
    "people": {
        "reconstruction": results(*(row | PERSONS for row in GRID)),
        "bad_points": points(),
    },
    "points": {
        "reconstruction": results(),
        "bad_points": points(*(counted(n, 900 + n, 40, 7) for n in (5, 6, 8))),
    },
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
