"""Tables of special uniques, made from numbers that can be seen here."""

import pandas as pd

from microleak.study.tables import result_tables as specs

WHICH = {"analysis": "standing-out", "table": "census", "focal": "2018"}


def frame(name, rows):
    return pd.DataFrame([WHICH | row for row in rows], columns=specs()[name].names)


SIZES = frame(
    "special_uniques",
    [
        {
            "n_qids": 3,
            "size": size,
            "n_records": 100,
            "n_minimal": n_minimal,
            "n_special": n_special,
            "n_smallest": n_smallest,
            "score_elliot": elliot,
            "score_ihsn": ihsn,
        }
        for size, n_minimal, n_special, n_smallest, elliot, ihsn in (
            (1, 4, 4, 4, 2, 1.0),
            (2, 30, 20, 18, 1, 1 / 3),
            (3, 5, 5, 5, 1, 0.0),
        )
    ],
)
SCORED = frame(
    "suda_scores",
    [
        {"n_records": 100, "score": score, "lowest": low, "below": high, "n_special": n}
        for score, low, high, n in (
            ("elliot", 1, 2, 15),
            ("elliot", 2, 4, 12),
            ("ihsn", 0, 1, 23),
            ("ihsn", 1, 2, 4),
        )
    ],
)
ATTRIBUTES = frame(
    "suda_attributes",
    [
        {
            "qid": name,
            "n_minimal": n,
            "n_special": n,
            "contribution_elliot": share,
            "contribution_ihsn": share,
        }
        for name, n, share in (("SEX", 12, 0.4), ("AGE", 30, 0.9), ("RACE", 9, 0.3))
    ],
)
VALUES = frame(
    "suda_values",
    [
        {
            "qid": "SEX",
            "value": value,
            "is_missing": str(value is None).lower(),
            "n_members": n,
            "n_minimal": 4,
            "n_special": 4,
            "contribution_elliot": 0.2,
            "contribution_ihsn": 0.2,
        }
        for value, n in ((None, 10), ("1", 40), ("2", 50))
    ],
)

EXAMPLES = {
    "standing-out": {
        "special_uniques": SIZES,
        "suda_scores": SCORED,
        "suda_attributes": ATTRIBUTES,
        "suda_values": VALUES,
    }
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
