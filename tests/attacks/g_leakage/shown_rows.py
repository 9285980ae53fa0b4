"""A table of gains, found in records that can be seen here."""

import pandas as pd

import microleak
from microleak.study.tables import result_tables as specs
from microleak.tables.result import with_study

PEOPLE = pd.DataFrame(
    {"SEX": [*"11112222"], "AGE": [*"12331233"], "ILL": [*"abccaadd"]}
)
_FOUND = microleak.g_leakage(PEOPLE, ["SEX", "AGE"], "ILL", tries=2).g_leakage
GAINS = with_study(_FOUND, specs()["g_leakage"]).assign(
    analysis="two-tries", table="census", focal="2018"
)

EXAMPLES = {"two-tries": {"g_leakage": GAINS}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
