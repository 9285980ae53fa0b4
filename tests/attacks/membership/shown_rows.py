"""Tables of one membership analysis, made from counts that can be seen here."""

import pandas as pd

from microleak.attacks.membership.figures import membership
from microleak.study.tables import result_tables as specs

BETWEEN = specs()["membership"].names[:5]

WHO = dict(zip(BETWEEN, ("asked", "people", "1", "survey", "2"), strict=True))
NONE = {"posterior_person": None}


def measured(qids, posterior, n_unique_both=0, **columns):
    """One row of `measures/membership` of 400 persons, 40 of them sampled."""
    degradation = None if posterior is None else posterior / 0.1
    leakage = None if posterior is None else posterior - 0.1
    return {
        **WHO,
        "qids": qids,
        "n_qids": qids.count("|") + 1,
        "n_population": 400,
        "n_sample": 40,
        "n_blocks_population": 20,
        "n_blocks_sample": 10,
        "n_sample_unique": 8,
        "n_found": 7,
        "n_unique_both": n_unique_both,
        "n_not_found": 0,
        "n_blocks_in_excess": 0,
        "prior": 0.1,
        "posterior_person": posterior,
        "additive_leakage_person": leakage,
        "degradation_printed": 12.5,
        "degradation_partition": 0.75,
        "degradation_person": degradation,
        "bayes_prior": 0.9,
        "bayes_posterior": 0.95,
        "bayes_degradation": 0.95 / 0.9,
        "bayes_additive_leakage": 0.05,
    } | columns


def present(qids, persons_of, bins, **columns):
    """Rows of `measures/presence` from the persons of each bin."""
    which = {**WHO, "qids": qids, "n_qids": qids.count("|") + 1}
    return [
        {**which, "persons_of": persons_of, "bin": number, "n_records": n} | columns
        for number, n in bins.items()
    ]


def unique(qids, fitting):
    """Rows of `measures/uniques` from how many fit each number of persons."""
    which = {**WHO, "qids": qids, "n_qids": qids.count("|") + 1}
    return [
        {**which, "n_fitting": n_fitting, "n_sample_unique": n}
        for n_fitting, n in fitting.items()
    ]


MEASURES = pd.DataFrame(
    [
        measured("AGE", 0.25),
        measured("SEX", 0.125),
        measured("AGE|SEX", 0.625, n_unique_both=4),
    ]
)
PRESENCE = pd.DataFrame(
    [
        *present("AGE", "sample", {25: 40}),
        *present("AGE", "population", {0: 240, 25: 160}),
        *present("AGE|SEX", "sample", {0: 1, 33: 9, 50: 20, 100: 10}),
        *present("AGE|SEX", "population", {0: 323, 33: 27, 50: 40, 100: 10}),
    ]
)
UNIQUES = pd.DataFrame(
    [*unique("AGE", {4: 2}), *unique("AGE|SEX", {0: 1, 1: 4, 4: 2, 120: 1})]
)
SHOWN = membership(MEASURES, PRESENCE, UNIQUES)


def roughly(qids, rough, exact, names="AGE"):
    row = MEASURES.set_index("qids").loc[qids]
    shares = {
        "posterior_person": rough,
        "posterior_person_exact": exact,
        "certain": rough / 2,
        "certain_exact": exact / 2,
        "bayes_posterior": 0.9,
        "bayes_posterior_exact": 0.95,
        "claimed": 0.25 if names else 0.0,
        "claimed_right": 0.125 if names else 0.0,
        "claims_that_hold": 0.5 if names else None,
    }
    return {**row, "qids": qids, "roughly": names, **shares}


ROUGH = pd.DataFrame(
    [
        roughly("AGE", 0.2, 0.25),
        roughly("SEX", 0.125, 0.125, ""),
        roughly("AGE|SEX", 0.4, 0.625),
    ]
)[specs()["rough_membership"].names]

SIZES = {"n_population": 400, "n_sample": 40}


def designed(qids, posterior, certain):
    number = dict.fromkeys(specs()["designs"].saying("share"), 0.5)
    which = {**WHO, "qids": qids, "n_qids": qids.count("|") + 1, **SIZES}
    drawn = {"stages": "clusters", "n_strata": 2, "n_clusters": 9}
    chances = {"posterior_person": posterior, "certain": certain}
    return {**which, **number, **drawn, **chances}


def answered(qids, found, certain):
    number = dict.fromkeys(specs()["answers"].saying("share"), 0.05)
    which = {**WHO, "qids": qids, "n_qids": qids.count("|") + 1, **SIZES}
    chances = {"posterior_found": found, "certain": certain}
    return {**which, **number, "sensitive": "SMOKES", **chances}


DESIGNS = pd.DataFrame(
    [designed("AGE", None, None), designed("AGE|SEX", 0.75, 0.375)],
    columns=specs()["designs"].names,
)
ANSWERS = pd.DataFrame(
    [answered("AGE", 0.125, 0.0), answered("AGE|SEX", 0.25, 0.125)],
    columns=specs()["answers"].names,
)
FINGERPRINTS = pd.DataFrame(
    [
        {
            **{**WHO, "qids": "AGE|SEX", "n_qids": 2, **SIZES},
            **{"n_classes_population": 16, "n_classes_sample": 5, "n_without_class": 1},
            **{"prior_class": 0.0625, "posterior_class": 0.75, "n_identified": 3},
            **{"n_in_identified": 24, "n_present": 20, "posterior_person": 0.875},
            **{"n_identified_right": 2, "precision": 2 / 3, "n_at_precision": 1},
        }
    ],
    columns=specs()["fingerprints"].names,
)

EXAMPLES = {
    "sample": {
        "membership": MEASURES,
        "presence": PRESENCE,
        "uniques": UNIQUES,
        "rough_membership": ROUGH,
        "designs": DESIGNS,
        "answers": ANSWERS,
        "fingerprints": FINGERPRINTS,
    }
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
