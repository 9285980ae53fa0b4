"""SUDA scores of the examples that sdcMicro's tests and guidelines publish.

The scores and contributions are facts of sdcMicro 5.7 (Templ, Meindl and Kowarik).
"""

import itertools

import pandas as pd
import pytest

from microleak.attacks.special_uniques.definitions import elliot_score, ihsn_score
from microleak.attacks.special_uniques.frames import special_uniques
from microleak.attacks.special_uniques.kernels import minimal_uniques
from microleak.kernels.records import in_memory
from microleak.kernels.walk import Work
from tests.property.tables import attribute

GUIDELINE = pd.DataFrame(
    {
        "residence": [*("U" * 4), "R", *("U" * 5)],
        "gender": [*"FFFMFMFMFF"],
        "education": [
            *("si", "si", "pi", "sc", "sc"),
            *("sc", "pc", "ps", "si", "si"),
        ],
        "labour": [*("e", "e", "n", "e", "u"), *("e", "n", "u", "n", "n")],
    }
)
BOOK = pd.DataFrame(
    {
        "age": [*["20s"] * 7, "60s"],
        "gender": [*["male"] * 4, *["female"] * 3, "male"],
        "income": ["50k+", "50k+", *["50k-"] * 6],
        "education": [*["high"] * 4, "university", "high", "middle", "university"],
    }
)
SMALL = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})


def scores(frame, score=elliot_score):
    columns = [attribute([*frame[name]]) for name in frame]
    ((_, starts, masks),) = minimal_uniques(in_memory(columns, []), Work())
    n_qids = len(columns)
    return [
        sum(score(int(mask).bit_count(), n_qids) for mask in masks[lo:hi])
        for lo, hi in itertools.pairwise(starts)
    ]


def test_scores_of_the_guideline_and_of_the_book():
    assert scores(GUIDELINE) == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert scores(BOOK)[4:] == [4, 2, 6, 8]


@pytest.mark.parametrize("order", ["abc", "acb", "cab", "cba"])
def test_contributions_do_not_depend_on_the_order_of_attributes(order):
    found = special_uniques(SMALL, [*order]).suda_attributes
    shares = dict(zip(found["qid"], found["contribution_elliot"], strict=True))
    assert shares == {"a": 0.5, "b": 0.375, "c": 0.375}


def test_scores_by_ihsn_are_those_of_its_program():
    # Of three variables one that is unique by itself counts 3/3, a pair 1/3.
    assert [ihsn_score(k, 3) for k in (1, 2, 3)] == [1, pytest.approx(1 / 3), 0]
    assert scores(SMALL, ihsn_score) == [1, 2, pytest.approx(2 / 3)]
