"""Tables of noisy counts, made from counts and definitions that can be seen here."""

from itertools import product

import numpy as np
import pandas as pd

from microleak.attacks.mechanism.definitions.absolute_error import (
    local_error,
    oblivious_error,
)
from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.channels import truncated_geometric
from microleak.attacks.mechanism.definitions.dependence import count_leakage, dependence
from microleak.attacks.mechanism.definitions.local_mechanism import (
    local,
    reports,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import (
    bounds,
    oblivious,
)
from microleak.attacks.mechanism.rows import Noisy
from microleak.definitions.epsilon import Epsilon
from microleak.study.tables import result_tables as specs

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
    """The table of one scenario of Example 33."""
    counts, sensitive, useful, value = SCENARIOS[letter]
    who = {"sensitive": sensitive, "useful": useful, "predicate_values": value}
    return mechanism(counts, _COUNTED[value], epsilons, models, **who)


def mechanism(counts, counted, epsilons=EPSILONS, models=MODELS, **columns):
    """Rows of `measures/mechanism` of the count of one useful value, by its place."""
    counts = np.array(counts)
    context = AttackContext(counts, np.arange(counts.shape[1]) == counted)
    both, limits = dependence(counts), bounds(context)
    rows = []
    for model, text in product(models, epsilons):
        alpha = Epsilon.parse(text).alpha
        if model == "oblivious":
            found = oblivious(context, alpha)
            error, _ = oblivious_error(context, alpha)
        else:
            channel = truncated_geometric(alpha, counts.shape[1] - 1)
            found = local(context, channel)
            error, _ = local_error(context, reports(channel, context.is_counted))
        rows.append(
            {
                **WHERE,
                "sensitive": "income",
                "useful": "country",
                **{"predicate": "equals", "predicate_values": "BRA"},
                "scenario": both.scenario(),
                "sensitive_from_useful": float(both.sensitive.normalised_leakage),
                "useful_from_sensitive": float(both.useful.normalised_leakage),
                "model": model,
                "epsilon": text,
                "alpha": float(alpha),
                "n_records": context.n_records,
                "n_matching": context.n_counted,
                "n_sensitive_values": len(counts),
                "n_useful_values": counts.shape[1],
                "prior": float(found.prior),
                "posterior": float(found.posterior),
                "privacy_loss": float(found.privacy_loss),
                "privacy_loss_limit": float(limits.loss_noise_free),
                "privacy_loss_limit_printed": float(limits.loss_ceiling_printed),
                "utility": float(found.utility),
                "utility_floor": float(limits.utility_floor),
                "utility_floor_printed": float(limits.utility_floor_printed),
                "absolute_error": float(error),
            }
            | columns
        )
    return pd.DataFrame(rows, columns=[*MECHANISM])


def pairs(people, epsilons=EPSILONS):
    """Rows of `measures/pairs` of every two attributes of some people."""
    rows = []
    for sensitive, useful in product(people, repeat=2):
        names = [np.unique(people[name], return_inverse=True) for name in people]
        codes = dict(zip(people, (inverse for _, inverse in names), strict=True))
        counts = np.zeros((codes[sensitive].max() + 1, codes[useful].max() + 1), int)
        np.add.at(counts, (codes[sensitive], codes[useful]), 1)
        rows += _pair(counts, epsilons, sensitive=sensitive, useful=useful)
    return pd.DataFrame(rows, columns=[*PAIRS])


def _pair(counts, epsilons, **columns):
    both = dependence(counts)
    for text in epsilons:
        found = count_leakage(counts, Epsilon.parse(text).alpha)
        worst = max(found.noisy, key=lambda each: each.posterior)
        yield {
            **WHERE,
            **columns,
            "scenario": both.scenario(),
            "epsilon": text,
            "alpha": float(Epsilon.parse(text).alpha),
            "n_records": int(counts.sum()),
            "n_sensitive_values": len(counts),
            "n_useful_values": counts.shape[1],
            "prior": float(worst.prior),
            "posterior": float(worst.posterior),
            "sensitive_from_useful": float(both.sensitive.normalised_leakage),
            "useful_from_sensitive": float(both.useful.normalised_leakage),
            "n_leaking_counts": sum(each.privacy_loss > 1 for each in found.noisy),
            "privacy_loss": float(worst.privacy_loss),
            "privacy_loss_limit": float(
                max(each.privacy_loss for each in found.noise_free)
            ),
        }


def samples(of, low=0.9, high=1.1):
    """Rows of `measures/samples` about each row of a mechanism's table."""
    which = [*WHERE, "sensitive", "useful", "predicate", "predicate_values"]
    rows = [
        {
            **row[[*which, "model", "epsilon", "n_records"]],
            "n_samples": 200,
            "n_sampled": 6,
            "measure": measure,
            "mean": row[measure],
            "standard_error": 0.01,
            "mean_low": row[measure] - 0.0196,
            "mean_high": row[measure] + 0.0196,
            "low": low * row[measure],
            "median": row[measure],
            "high": high * row[measure],
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
            "n_draws": n_draws,
            "measure": measure,
            "exact": row[measure],
            "simulated": row[measure] + more,
            "bound": 0.1035,
        }
        for _, row in of[of["model"] == "oblivious"].iterrows()
        for measure in ("posterior", "utility")
    ]
    return pd.DataFrame(rows, columns=[*SIMULATED])


NO_COUNT = pd.DataFrame(columns=[*MECHANISM])
NO_SAMPLES = pd.DataFrame(columns=[*SAMPLES])
NO_DRAWS = pd.DataFrame(columns=[*SIMULATED])
NO_PAIRS = pd.DataFrame(columns=[*PAIRS])

PEOPLE = {
    "income": ["low", "low", *["medium"] * 4, "high", "high"],
    "gender": ["F", "M"] * 4,
    "country": ["BRA", "BRA", *["AUS"] * 4, "BRA", "BRA"],
}
"""Nunes' Table 6.1."""


def of_count(rows, of_samples=NO_SAMPLES):
    """The tables of an analysis of one count."""
    return Noisy(rows, of_samples, NO_DRAWS, NO_PAIRS)


def of_pairs(rows):
    """The tables of an analysis of pairs."""
    return Noisy(NO_COUNT, NO_SAMPLES, NO_DRAWS, rows)


_COUNT = scenario("A")
EXAMPLES = {
    "counts": {
        "mechanism": _COUNT,
        "samples": samples(_COUNT),
        "simulated": simulated(_COUNT),
        "pairs": NO_PAIRS,
    },
    "pairs": {
        "mechanism": NO_COUNT,
        "samples": NO_SAMPLES,
        "simulated": NO_DRAWS,
        "pairs": pairs(PEOPLE),
    },
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
