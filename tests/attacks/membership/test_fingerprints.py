"""Classes recognised in a sample, from records to the table."""

import random
from collections import Counter
from fractions import Fraction
from math import comb

import pandas as pd
import pytest

import microleak
from microleak.base.errors import StudyError, TableError
from tests.examples import seeds

NAMES = ["state", "sex", "month", "class"]


def made(seed):
    """A population of classes, and a sample of answers of some, with their truth."""
    draw = random.Random(seed)
    people, sample = [], []
    for number in range(draw.randint(2, 7)):
        state = draw.choice(["x", "y"])
        size = draw.randint(1, 5)
        members = [
            (state, draw.choice("FM"), draw.choice(["1", "2", "3", None]), f"c{number}")
            for _ in range(size)
        ]
        people += members
        if number == 0 or draw.random() < 0.5:
            sample += [
                (*m[:3], f"s{number}", m[3]) for m in members[: draw.randint(1, 5)]
            ]
    draw.shuffle(people)
    draw.shuffle(sample)
    return people, sample


def weight(members, answers, said, response, misreport):
    """P(s | c), by how many of each answer are misreports."""
    ways = {0: Fraction(1)}
    m, n = len(answers), len(members)
    inside, asked = Counter(members), Counter(answers)
    for answer, d in asked.items():
        more = {}
        for wrong in range(d + 1):
            chosen = comb(inside[answer], d - wrong) * said[answer] ** wrong
            for before, way in ways.items():
                both = before + wrong
                more[both] = more.get(both, 0) + way * chosen * comb(both, wrong)
        ways = more
    whole = Fraction(0)
    for wrong, way in ways.items():
        true = response * (1 - misreport)
        each = (response * misreport / said.total()) ** wrong * true ** (m - wrong)
        if m <= n:
            silent = (1 - response) ** (n - m)
            whole += way * comb(n - m + wrong, wrong) * each * silent
    return whole


@pytest.mark.parametrize("seed", seeds(100))
def test_chances_are_those_of_bayes_over_all_pairs(seed):
    """Without misreports and with them: classes of so few have all ways thought of."""
    people, sample = made(seed)
    response, misreport = Fraction(9, 10), Fraction(seed % 2, 10)
    said = Counter(p[:3] for p in (*people, *sample))
    classes, asked = {}, {}
    for *qids, name in people:
        classes.setdefault((qids[0], name), []).append(tuple(qids))
    for *qids, label, truth in sample:
        asked.setdefault((qids[0], label, truth), []).append(tuple(qids))
    chances = []
    for (state, _, truth), answers in asked.items():
        weights = {
            name: weight(members, answers, said, response, misreport)
            for (of, name), members in classes.items()
            if of == state
        }
        whole = sum(weights.values())
        best = max(weights, key=weights.get)
        chances.append((weights[best] / whole, best == truth))
    identified = [is_right for chance, is_right in chances if chance >= 0.99]
    found = microleak.membership(
        pd.DataFrame(people, columns=NAMES, dtype=object),
        pd.DataFrame(sample, columns=[*NAMES[:3], "label", "truth"], dtype=object),
        ["state", "sex", "month"],
        fingerprint={
            **{"cluster": ["class"], "labels": ["label"], "within": ["state"]},
            **{"response": "0.9", "misreport": f"0.{seed % 2}", "truth": "truth"},
        },
        subsets="full",
    )
    (row,) = found.fingerprints.to_dict("records")
    mean = sum(chance for chance, _ in chances) / len(chances)
    assert row["posterior_class"] == pytest.approx(float(mean), rel=1e-12)
    assert row["n_identified"] == len(identified)
    assert row["n_identified_right"] == sum(identified)
    assert (row["n_classes_sample"], row["n_without_class"]) == (len(asked), 0)


CLASSES = pd.DataFrame(
    [
        ("F", "1", "a"),
        ("F", "2", "a"),
        ("M", "3", "b"),
        ("M", "3", "b"),
        ("F", "4", "c"),
    ],
    columns=["sex", "month", "class"],
)
ASKED = pd.DataFrame(
    [("F", "1", "p", "a"), ("F", "2", "p", "a"), ("M", "3", "q", "b")],
    columns=["sex", "month", "label", "truth"],
)
GIVEN = {"cluster": ["class"], "labels": ["label"], "response": "1/2"}


def row_of(**more):
    found = microleak.membership(
        CLASSES, ASKED, ["sex", "month"], fingerprint={**GIVEN, **more}, subsets="full"
    )
    return found.fingerprints.to_dict("records")[0]


def test_classes_that_only_one_can_be_are_identified_and_so_are_their_members():
    row = row_of(truth="truth")
    assert (row["n_classes_population"], row["n_classes_sample"]) == (3, 2)
    assert (row["n_identified"], row["n_identified_right"]) == (2, 2)
    assert (row["precision"], row["n_at_precision"]) == (1, 2)
    assert row["prior_class"] == pytest.approx(1 / 3)
    # Both of class a answered; of class b one of two who are alike.
    assert (row["n_in_identified"], row["n_present"]) == (3, 2)
    assert row["posterior_person"] == pytest.approx((1 + 1 + 1 / 2) / 3)


def test_without_the_truth_nothing_is_said_of_it():
    row = row_of()
    assert row["n_identified"] == 2
    assert pd.isna(row["n_identified_right"])
    assert pd.isna(row["precision"])


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [
        ({"misreport": "2"}, StudyError, "a share in misreport above 1"),
        ({"cluster": ["class", "sex"], "truth": "truth"}, StudyError, "has truth, and"),
        ({"rate": "1"}, StudyError, "has no key 'rate'"),
        ({"truth": "month"}, TableError, "truth has several values in classes"),
    ],
)
def test_a_fingerprint_that_cannot_be_is_refused(more, error, said):
    with pytest.raises(error, match=said):
        row_of(**more)
