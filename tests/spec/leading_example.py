"""Nunes' Table 3.2, the leading example of the attacks on a single release."""

import numpy as np

from microleak.kernels.records import AttributeCodes
from microleak.records.profile_file import profiles_of
from tests.walking import walked

ID = list(range(1, 11))
AGE = [25, 25, 25, 25, 25, 49, 49, 49, 49, 60]
GENDER = ["F", "F", "F", "M", "M", "F", "F", "F", "M", "M"]
OCCUPATION = [1, 1, 3, 2, 2, 3, 3, 5, 4, 4]
ILLNESS = ["no", "yes", "yes", "yes", "no", "yes", "yes", "no", "no", "no"]

COLUMNS = {
    "id": ID,
    "age": AGE,
    "gender": GENDER,
    "occupation": OCCUPATION,
    "illness": ILLNESS,
}


def codes(values):
    return np.unique(values, return_inverse=True)[1]


def profiles(columns, qids, sensitive):
    """Prior and posterior profile of one QID set and one sensitive attribute."""
    coded = {name: codes(column) for name, column in columns.items()}
    attributes = {n: AttributeCodes(c, int(c.max()) + 1) for n, c in coded.items()}
    whole = (1 << len(qids)) - 1
    found = walked([attributes[q] for q in qids], [attributes[sensitive]], [0, whole])
    return profiles_of(found[0])[0], profiles_of(found[whole])[0]
