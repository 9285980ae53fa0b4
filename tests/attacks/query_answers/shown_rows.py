"""Tables of what answers to queries give away, of numbers that can be seen here."""

from microleak.study.tables import result_tables as specs
from microleak.tables.rows import as_table


def region(name, n_records, n_proved, n_databases):
    """One row; a region without databases was not tried."""
    is_tried = n_databases is not None
    return {
        **{"analysis": "wages", "table": "census", "focal": "2018", "region": name},
        **{"attribute": "AGE", "n_records": n_records, "n_values_proved": n_proved},
        **{"n_answers": 21 if is_tried else 0, "n_counts": 1 if is_tried else None},
        "n_values_exact": n_records if is_tried else None,
        "share_proved": n_proved / n_records if is_tried else None,
        **{
            "n_databases": n_databases,
            "is_all": "true" if n_databases == 1 else "false",
        },
    }


def auditor(name, n_refused, n_known_by_answers, n_known):
    return {
        **{"analysis": "asked", "table": "census", "focal": "2018", "attribute": "AGE"},
        **{"auditor": name, "tolerated_pct": 5 if name == "simulatable" else None},
        **{"n_samples": 20, "n_sample_records": 80, "n_queries": 400},
        **{"n_refused": n_refused, "n_known_by_answers": n_known_by_answers},
        "n_known": n_known,
    }


_SPECS = specs()
ANSWERED = as_table(
    _SPECS["query_answers"],
    [
        region("North", 7, 7, 1),
        region("South", 30, 5, 1000),
        region("West", 9000, None, None),
    ],
)
"""What statistics prove of each region."""

ANSWERED_VALUES = as_table(
    _SPECS["answered_values"],
    [
        {
            **{"analysis": "wages", "region": "North", "cell": "SEX=F", "rank": 1},
            **{"least": 8, "largest": 8, "is_exact": "true", "tables": ""},
        }
    ],
)
"""Least and largest of one value."""

AUDITED = as_table(
    _SPECS["audited_queries"],
    [
        auditor("none", 0, 80, 80),
        auditor("answers", 150, 0, 44),
        auditor("simulatable", 390, 0, 0),
    ],
)
"""What each auditor gives away."""

NONE_ANSWERED, NONE_AUDITED, NO_VALUES = (
    as_table(_SPECS[name], [])
    for name in ("query_answers", "audited_queries", "answered_values")
)
"""The tables of the other kind of analysis."""

EXAMPLES = {
    "wages": {
        "query_answers": ANSWERED,
        "answered_values": ANSWERED_VALUES,
        "audited_queries": NONE_AUDITED,
    },
    "asked": {
        "query_answers": NONE_ANSWERED,
        "answered_values": NO_VALUES,
        "audited_queries": AUDITED,
    },
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
