"""Tables of a published file, found in people that are seen here."""

import pandas as pd

import microleak

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


def tables(name, **more):
    known = {"analysis": name, "table": "town", "focal": "2023", "published": "made 1"}
    return found(**more).of_study(**known)


EXAMPLES = {
    "made-elsewhere": tables("made-elsewhere"),
    "made-with-control": tables("made-with-control", control=OTHERS),
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
