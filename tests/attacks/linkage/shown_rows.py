"""Tables of links, made from numbers that can be seen here."""

import pandas as pd

from microleak.study.tables import result_tables as specs

WHO = {"analysis": "linked", "table": "census", "focal": "2018", "auxiliary": "2019"}


def of(kind, *rows):
    return pd.DataFrame([WHO | row for row in rows], columns=specs()[kind].names)


LINKS = of(
    "linkage",
    {
        **{"stable": "SEX|BIRTH", "drifting": "TOWN", "recoded": ""},
        **{"transition": "estimated"},
        **{"scope": "all", "overlap": 0.85, "n_focal": 200, "n_auxiliary": 210},
        **{"n_candidates": 320, "expected_links": 168.5, "n_links": 160},
        **{"n_certain": 120, "share_exact": 1.0, "n_true": 170, "n_right": 153},
        **{"precision": 153 / 160, "recall": 0.9, "f1": 306 / 330},
        **{"parents": "TOWN=SEX", "excess_agreement": 0.0, "excess_attribute": ""},
        **{"overlap_otherwise": 0.86, "changed_together": "", "excess_changes": 0.0},
    },
)
BINS = of(
    "linkage_bins",
    *(
        {
            **{"from_chance": i / 10, "n_candidates": 32, "n_right": n_right},
            **{"expected_links": 3.2 * i + 1, "mean_chance": (3.2 * i + 1) / 32},
            **{"share_right": n_right / 32},
        }
        for i, n_right in enumerate((0, 3, 6, 14, 17, 20, 23, 26, 29, 32))
    ),
)
SUCCESS = of(
    "linked_success",
    *(
        {
            **{"qids": "SEX|TOWN", "n_qids": 2, "sensitive": sensitive},
            **{"n_records": 200, "prior_prob": 0.005},
            **{"posterior_prob_single": 0.3, "posterior_prob_linked": 0.4},
            **{"posterior_prob_identified": 0.45, "posterior_prob_expected": 0.4},
            **{"added_by_links": 0.1, "added_by_identifier": 0.05},
        }
        for sensitive in ("", "ILL")
    ),
)

EXAMPLES = {
    "linked": {"linkage": LINKS, "linkage_bins": BINS, "linked_success": SUCCESS}
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
