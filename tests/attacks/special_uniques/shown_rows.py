"""Tables of special uniques, found in records that can be seen here."""

import pandas as pd

import microleak
from microleak.study.tables import result_tables as specs
from microleak.tables.result import with_study

WHICH = {"analysis": "standing-out", "table": "census", "focal": "2018"}
PEOPLE = pd.DataFrame(
    {"SEX": [None, *"1212212"], "AGE": [*"12345555"], "RACE": [*"11223344"]}
)
TABLES = {
    name: with_study(rows, specs()[name]).assign(**WHICH)
    for name, rows in microleak.special_uniques(PEOPLE, [*PEOPLE]).tables.items()
}
_VALUES = TABLES["suda_values"]
_VALUES["is_missing"] = _VALUES["is_missing"].astype("str").str.lower()

EXAMPLES = {"standing-out": TABLES}
"""Tables by analysis, as contract tests and the page of every kind take them."""
