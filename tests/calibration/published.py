"""Published successes and what a twin has in their place.

The facts are those of config/papers/: of Nunes 2021 the posterior and prior successes
of the School Census (tables 4.4, 4.7, 4.8, E.3, E.6, E.7, 5.5 and 5.8) and of the
Higher Education Census (tables F.3 to F.24), and tables 2 and 3 of Gonze et al. 2025.
A misprint is left out: the deterministic success of birth municipality and school in
table 4.8, which is below that of the school alone.
"""

import pandas as pd
import pytest

from papers.facts import facts

POINTS, POINTS_OF_PRIOR = 3.0, 1.0


def rows(census):
    """Rows of the tables of `school` or `higher_education`, successes in percent."""
    # `releases` are the focal one and then the auxiliary ones; without QIDs it is the
    # prior.
    study = {"school": "school-", "higher_education": "student-"}[census]
    found = {}
    for fact in facts("nunes-2021"):
        is_of_table = fact.where.startswith("Table ") and fact.is_percentage
        if not is_of_table or not fact.file.startswith(f"collective/{study}"):
            continue
        known = dict(part.split("=", 1) for part in fact.row.split(";"))
        when, kind = fact.column.split("_")
        qids = known["qids"] if when == "posterior" else ""
        focal = fact.file.removeprefix(f"collective/{study}")
        releases = "|".join([focal, *filter(None, [known["auxiliary"]])])
        key = (fact.where.removeprefix("Table "), releases, qids, known["sensitive"])
        row = found.setdefault(key, {"det_pct": "", "prob_pct": ""})
        if not fact.note:
            row[f"{kind}_pct"] = fact.printed.removesuffix(" %")
    names = ("table", "releases", "qids", "sensitive")
    return [dict(zip(names, key, strict=True)) | row for key, row in found.items()]


def of_states(table):
    """Percentages of a table of Gonze et al., one row a state."""
    # Of table 2 the prior (`none`) and the largest additive leakage of 1 to 7 QIDs; of
    # table 3 the largest posterior success without the QID that is named.
    found = {}
    for fact in facts("gonze-2025"):
        if fact.where != f"Table {table}":
            continue
        known = dict(part.split("=", 1) for part in fact.row.split(";"))
        state = (known.get("release") or known["focal"]).split("-")[0]
        kind = known.get("qid") or known["n_qids"]
        if fact.column in {"prior_prob", "posterior_prob"}:
            kind = "none" if fact.column == "prior_prob" else None
        if kind:
            found[state, kind] = float(fact.printed.removesuffix(" %"))
    return pd.Series(found).unstack()


def name(row):
    return "-".join(row[key] for key in ("table", "releases", "qids", "sensitive"))


def measured(twin, row):
    """Successes of a row in percent; the unit stands in where only a prior is asked."""
    # The row's releases are the focal one and then the auxiliary ones.
    qids = tuple(row["qids"].split("|")) if row["qids"] else (twin.census.unit,)
    measures = twin.measures(tuple(row["releases"].split("|")), qids)
    return 100 * measures.loc[row["sensitive"]].filter(regex="_(det|prob)$")


def assert_is_near(found, row):
    """Check a row's successes, those that are printed: posterior ones, or the prior."""
    published = float(row["prob_pct"])
    if not row["qids"]:
        assert found["prior_prob"] == pytest.approx(published, abs=POINTS_OF_PRIOR)
        return
    assert found["posterior_prob"] == pytest.approx(published, abs=POINTS)
    if row["det_pct"]:
        published = float(row["det_pct"])
        assert found["posterior_det"] == pytest.approx(published, abs=POINTS)
