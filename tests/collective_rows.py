"""Small tables of measures, made from counts that can be seen in the test."""

from math import log2

import pandas as pd


def subset(qids, n_certain, n_modal, **columns):
    """One collective row of 1,000 pupils, from its exact counts."""
    n_records = columns.get("n_records", 1_000)
    sensitive = columns.get("sensitive", "")
    prior_count = columns.pop("prior_count", 1)
    prior_det = columns.pop("prior_det", 0.0)
    n_loo = columns.pop("n_loo", prior_count if sensitive else 0)
    n_rarer = n_records - prior_count if sensitive else None
    of_rarer = n_certain * n_rarer // n_records if sensitive else None
    measured = {
        "attack": "CAS" if sensitive else "CRS",
        **{"analysis": "pupils", "table": "census", "focal": "2018", "auxiliary": ""},
        **{"qids": qids, "n_qids": qids.count("|") + 1, "sensitive": sensitive},
        "n_records": n_records,
        "n_blocks": columns.pop("n_blocks", n_modal),
        "n_certain": n_certain,
        "n_modal": n_modal,
        "prior_det": prior_det,
        "posterior_det": n_certain / n_records,
        "degradation_det": n_certain / n_records - prior_det,
        "prior_prob": prior_count / n_records,
        "posterior_prob": n_modal / n_records,
        "degradation_prob": n_modal / prior_count,
        "additive_leakage": (n_modal - prior_count) / n_records,
        "largest_success": columns.pop("largest_success", 1.0),
        "n_largest": columns.pop("n_largest", n_certain),
        "min_entropy": log2(n_records / prior_count),
        "conditional_min_entropy": log2(n_records / n_modal),
        "min_entropy_leakage": log2(n_modal / prior_count),
        "posterior_loo": n_loo / n_records,
        "own_record": (n_modal - n_loo) / n_records,
        **{"n_rarer": n_rarer, "n_certain_rarer": of_rarer},
    }
    return measured | columns


RARER = dict.fromkeys(("n_rarer", "n_certain_rarer"), "Int64")
"""Of re-identification they are missing."""


def worst_of(*rows):
    """Worst rows of subsets of which each size has one."""
    both = [
        {"criterion": criterion} | row
        for row in rows
        for criterion in ("deterministic", "probabilistic")
    ]
    return pd.DataFrame(both).astype(RARER)


def bins_of(rows):
    """Bins of success of rows of measures, all records of each in the last one."""
    which = ["attack", "analysis", "table", "focal", "auxiliary", "qids", "n_qids"]
    return rows[[*which, "sensitive"]].assign(bin=100, n_records=rows["n_records"])


def ingest_of(table, releases, **changed):
    """What was read of releases, by their records; none is synthetic."""
    rows = [
        {
            **{"table": table, "release": release, "n_months": 12, "n_read": n},
            **{"n_refused": 0, "n_kept": n, "n_dropped": 0, "n_records": n},
            **{"synthetic": "false", "sha256": "00ff", "unused": ""},
        }
        for release, n in releases.items()
    ]
    return pd.DataFrame(rows).assign(**changed)
