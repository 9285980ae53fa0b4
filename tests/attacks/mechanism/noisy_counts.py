"""Tables of noisy counts, measured of records that can be seen here."""

import numpy as np
import pandas as pd

import microleak
from microleak.attacks.mechanism.rows import Noisy
from microleak.study.tables import result_tables as specs
from microleak.tables.result import with_study

MECHANISM = tuple(specs()["mechanism"].names)
PAIRS = tuple(specs()["pairs"].names)
SAMPLES = tuple(specs()["samples"].names)
SIMULATED = tuple(specs()["simulated"].names)

EPSILONS = ("ln 1.5", "ln 3", "ln 10")
MODELS = ("oblivious", "local")
WHERE = {"analysis": "counts", "table": "people", "focal": "2019"}

# Nunes' Table 6.1: two, four and two people of low, medium and high income.
INCOME_BY_INCOME = [[2, 0, 0], [0, 4, 0], [0, 0, 2]]
INCOME_BY_GENDER = [[1, 1], [2, 2], [1, 1]]
COUNTRY_BY_INCOME = [[0, 4, 0], [2, 0, 2]]
INCOME_BY_COUNTRY = [[0, 2], [4, 0], [0, 2]]

SCENARIOS = {
    "A": (INCOME_BY_INCOME, "income", "income", "medium"),
    "B": (INCOME_BY_GENDER, "income", "gender", "F"),
    "C": (COUNTRY_BY_INCOME, "country", "income", "medium"),
    "D": (INCOME_BY_COUNTRY, "income", "country", "BRA"),
}
"""Counts, sensitive and useful attribute and value counted of Nunes' Example 33."""

_COUNTED = {"medium": 1, "F": 0, "BRA": 1}


def scenario(letter, epsilons=EPSILONS, models=MODELS):
    counts, sensitive, useful, value = SCENARIOS[letter]
    who = {"sensitive": sensitive, "useful": useful, "predicate_values": value}
    return mechanism(counts, _COUNTED[value], epsilons, models, **who)


def mechanism(counts, counted, epsilons=EPSILONS, models=MODELS, **columns):
    """Rows of `measures/mechanism` of the count of one useful value, by its place."""
    counts = np.array(counts)
    places = (
        each.repeat(counts.ravel()) for each in np.indices(counts.shape).reshape(2, -1)
    )
    people = pd.DataFrame(dict(zip(("income", "country"), places, strict=True)))
    found = microleak.mechanism(
        people,
        **{"epsilons": epsilons, "models": models, "predicate": {"equals": counted}},
        **{"sensitive": "income", "useful": "country"},
        order={"integers": [0, counts.shape[1] - 1]},
    )
    rows = with_study(found.mechanism, specs()["mechanism"])
    return rows.assign(**WHERE, **{"predicate_values": "BRA", **columns})


def pairs(people, epsilons=EPSILONS):
    """Rows of `measures/pairs` of every two attributes of some people."""
    people = pd.DataFrame(people)
    found = microleak.mechanism(people, epsilons=epsilons, attributes=[*people])
    return with_study(found.pairs, specs()["pairs"]).assign(**WHERE)


def samples(of, low=0.9, high=1.1):
    """Rows of `measures/samples` about each row of a mechanism's table."""
    which = [*WHERE, "sensitive", "useful", "predicate", "predicate_values"]
    rows = [
        {
            **row[[*which, "model", "epsilon", "n_records"]],
            **{"n_samples": 200, "n_sampled": 6, "measure": measure},
            **dict.fromkeys(("mean", "median"), row[measure]),
            **{"low": low * row[measure], "high": high * row[measure]},
            **{"standard_error": 0.01, "mean_low": row[measure] - 0.0196},
            "mean_high": row[measure] + 0.0196,
        }
        for _, row in of.iterrows()
        for measure in ("privacy_loss", "utility")
    ]
    return pd.DataFrame(rows, columns=[*SAMPLES])


def simulated(of, n_draws=1000, more=0.01):
    """Rows of `measures/simulated` of each row of the oblivious mechanism."""
    which = [*WHERE, "sensitive", "useful", "predicate", "predicate_values"]
    rows = [
        {
            **row[[*which, "model", "epsilon"]],
            **{"n_draws": n_draws, "measure": measure, "bound": 0.1035},
            **{"exact": row[measure], "simulated": row[measure] + more},
        }
        for _, row in of[of["model"] == "oblivious"].iterrows()
        for measure in ("posterior", "utility")
    ]
    return pd.DataFrame(rows, columns=[*SIMULATED])


NO_COUNT, NO_SAMPLES, NO_DRAWS, NO_PAIRS = (
    pd.DataFrame(columns=[*names]) for names in (MECHANISM, SAMPLES, SIMULATED, PAIRS)
)

PEOPLE = {
    "income": ["low", "low", *["medium"] * 4, "high", "high"],
    "gender": ["F", "M"] * 4,
    "country": ["BRA", "BRA", *["AUS"] * 4, "BRA", "BRA"],
}
"""Nunes' Table 6.1."""


def of_count(rows, of_samples=NO_SAMPLES):
    return Noisy(rows, of_samples, NO_DRAWS, NO_PAIRS)


def of_pairs(rows):
    return Noisy(NO_COUNT, NO_SAMPLES, NO_DRAWS, rows)


_COUNT = scenario("A")
_TABLES = ("mechanism", "samples", "simulated", "pairs")
_OF_COUNT = (_COUNT, samples(_COUNT), simulated(_COUNT), NO_PAIRS)
_OF_PAIRS = (NO_COUNT, NO_SAMPLES, NO_DRAWS, pairs(PEOPLE))
EXAMPLES = {
    "counts": dict(zip(_TABLES, _OF_COUNT, strict=True)),
    "pairs": dict(zip(_TABLES, _OF_PAIRS, strict=True)),
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
