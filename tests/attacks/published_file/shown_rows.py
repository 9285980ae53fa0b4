"""Tables of a published file, found in people that are seen here."""

import pandas as pd

import microleak
from microleak.study.tables import result_tables as specs
from microleak.tables.result import with_study

TOWN = pd.DataFrame(
    {
        "AGE": ["21", "25", "25", "38", "60", "61", "61", "80"],
        "SEX": ["F", "F", "M", "M", "F", "M", "F", "F"],
        "ILL": ["no", "yes", "no", "no", "yes", "no", "no", "yes"],
    }
)
MADE = pd.DataFrame(
    {
        "AGE": ["[20, 40[", "[20, 40[", "[20, 40[", "[20, 40[", "[60, 70[", "*", "80"],
        "SEX": ["F", "F", "M", "M", "*", "F", "F"],
        "ILL": ["no", "yes", "no", "no", "yes", "no", "yes"],
    }
)
OTHERS = pd.DataFrame(
    {"AGE": ["22", "39", "64"], "SEX": ["F", "M", "M"], "ILL": ["yes", "no", "no"]}
)


def found(**more):
    keys = {"qids": ["AGE", "SEX"], "sensitive": ["ILL"], "links": [[["AGE"], ["SEX"]]]}
    return microleak.published_file(TOWN, MADE, **keys, **more)


def tables(found, name):
    known = {"analysis": name, "table": "town", "focal": "2023", "published": "made 1"}
    return {
        table: with_study(rows, specs()[table]).assign(**known)
        for table, rows in found.tables.items()
    }


EXAMPLES = {
    "made-elsewhere": tables(found(), "made-elsewhere"),
    "made-with-control": tables(found(control=OTHERS), "made-with-control"),
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
