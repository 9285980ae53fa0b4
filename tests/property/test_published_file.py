"""A published file against definitions that look at each pair of records."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.published_file.measure import published_tables
from microleak.attacks.published_file.section import PublishedFile
from microleak.base.machine import Resources
from tests.examples import examples

QIDS, SENSITIVE = ("age", "sex", "place"), ("ill", "income")
NAMES = (*QIDS, *SENSITIVE)
RELEASES = {"published": {"table": "made", "release": "1"}}
SUPPRESSED = "suppressed"

people = st.fixed_dictionaries(
    {
        "age": st.sampled_from(["18", "19", "20", "23", "24"]),
        "sex": st.sampled_from(["a", "b", "c", None]),
        "place": st.sampled_from(["811", "812", "823"]),
        "ill": st.sampled_from(["x", "y", "z", None]),
        "income": st.sampled_from(["-3", "-1", "0", "1", "2", "5"]),
    }
)
LABELS = {
    "age": [
        "[15, 20[",
        "(19,24]",
        "18-20",
        ">=20",
        "*",
        "{18, 24}",
        "19",
        "<20",
        "23+",
    ],
    "sex": ["*", "{a, b}", "a", "b", None],
    "place": ["81*", "8**", "*", "812", "823"],
}


@st.composite
def files(draw):
    """The original, a file made of it or of nothing, and how its empty cells are."""
    rows = draw(st.lists(people, min_size=1, max_size=7))
    rows += [draw(people) | {"sex": sex} for sex in "abc"]
    published = []
    for row in draw(st.permutations(rows))[: draw(st.integers(1, len(rows)))]:
        changed = dict(row)
        for name, labels in LABELS.items():
            if draw(st.booleans()):
                changed[name] = draw(st.sampled_from(labels))
        if draw(st.integers(0, 4)) == 0:
            changed |= draw(st.sampled_from(rows))
        if draw(st.integers(0, 4)) == 0:
            changed["ill"] = None
        published.append(changed)
    return rows, published, draw(st.sampled_from(["value", SUPPRESSED]))


def covers(label, value, missing):
    if label is None:
        return missing == SUPPRESSED or value is None
    if label == "*":
        return True
    if value is None or label == value:
        return label == value
    if label.startswith("{"):
        return value in label[1:-1].split(", ")
    if label.endswith("*"):
        return value.startswith(label.rstrip("*"))
    told = {
        "[15, 20[": lambda n: 15 <= n < 20,
        "(19,24]": lambda n: 19 < n <= 24,
        "18-20": lambda n: 18 <= n <= 20,
        ">=20": lambda n: n >= 20,
        "<20": lambda n: n < 20,
        "23+": lambda n: n >= 23,
    }
    return label in told and told[label](int(value))


def is_near(name, guess, true):
    """Whether a guess is right: of incomes if it is one, or half of it, off."""
    if name == "ill" or guess is None or true is None:
        return guess == true
    return abs(int(guess) - int(true)) <= max(Fraction(1), Fraction(abs(int(true)), 2))


def best_guesses(name, values):
    """The best guesses, and of how many of some values these are right."""
    known = [value for value in values if value != SUPPRESSED]
    right = {g: sum(is_near(name, g, v) for v in known) for g in {*known}}
    most = max(right.values(), default=0)
    return [guess for guess, n in right.items() if n == most], most


def chance(name, guesses, true):
    n_right = sum(is_near(name, guess, true) for guess in guesses)
    return Fraction(n_right, len(guesses)) if guesses else Fraction(0)


class Naive:
    """What a set of facts finds, by every original and every published record."""

    def __init__(self, rows, published, missing, known):
        self.rows, self.published, self.missing = rows, published, missing
        self.known = known
        self.candidates = [[p for p in published if self.fits(p, o)] for o in rows]
        self.alike = [[q for q in rows if self.agrees(o, q)] for o in rows]

    def fits(self, label, row):
        return all(covers(label[n], row[n], self.missing) for n in self.known)

    def agrees(self, one, other):
        return all(one[n] == other[n] for n in self.known)

    @property
    def singled_out(self):
        return [
            bool(found)
            and len(alike) == len(found) == 1
            and sum(self.fits(found[0], each) for each in self.rows) == 1
            for alike, found in zip(self.alike, self.candidates, strict=True)
        ]

    def value(self, row, name):
        is_hidden = row[name] is None and self.missing == SUPPRESSED
        return SUPPRESSED if is_hidden else row[name]

    def guesses(self, name):
        found = Counter()
        for i, row in enumerate(self.rows):
            told = [self.value(p, name) for p in self.candidates[i]]
            best, n = best_guesses(name, told)
            is_claim = bool(best) and n == len(told)
            holds = is_claim and chance(name, best, row[name]) == 1
            lost = best_guesses(name, [self.value(p, name) for p in self.published])[0]
            others = [q for j, q in enumerate(self.rows) if j != i]
            alike = [q[name] for q in others if self.agrees(row, q)]
            theirs, n = best_guesses(name, alike)
            taught = bool(theirs) and n == len(alike)
            taught = taught and chance(name, theirs, row[name]) == 1
            of_all = best_guesses(name, [q[name] for q in others])[0]
            found["n_claims"] += is_claim
            found["n_claims_right"] += holds
            found["n_beyond_others"] += holds and not taught
            found["right"] += chance(name, best or lost, row[name])
            found["by_others"] += chance(name, theirs or of_all, row[name])
        return found


def tabled(rows, names=NAMES):
    columns = {n: pa.array([row[n] for row in rows], pa.string()) for n in names}
    return pa.table(columns)


def measured(rows, published, missing, control=None, **more):
    analysis = PublishedFile(
        name="made",
        table="town",
        focal="1",
        qids=QIDS,
        sensitive=SENSITIVE,
        near={"income": {"absolute": "1", "relative": "1/2"}},
        missing=missing,
        **RELEASES,
        **more,
    )
    resources = Resources(2, 2_000, Path())
    other = None if control is None else tabled(control)
    return published_tables(tabled(rows), tabled(published), other, analysis, resources)


@given(files())
@examples(500)
def test_every_number_is_that_of_all_pairs_of_records(given):
    rows, published, missing = given
    n = len(rows)
    found = measured(*given, links=[(("age",), ("sex", "place"))])
    fewest = {}
    sets = [known for size in (1, 2, 3) for known in combinations(QIDS, size)]
    guesses = found["published_guesses"].set_index(["sensitive", "qids"])
    for known, (_, row) in zip(sets, found["published_file"].iterrows(), strict=True):
        naive = Naive(rows, published, missing, known)
        n_candidates = [len(each) for each in naive.candidates]
        assert row["qids"] == "|".join(known)
        assert row["n_alone"] == sum(len(each) == 1 for each in naive.alike)
        assert row["n_singled_out"] == sum(naive.singled_out)
        assert row["n_with_candidate"] == sum(each > 0 for each in n_candidates)
        assert row["n_one_candidate"] == n_candidates.count(1)
        linked = sum(Fraction(1, each) for each in n_candidates if each)
        assert row["linked"] == float(linked / n)
        for i in range(n):
            if naive.singled_out[i]:
                fewest[i] = min(fewest.get(i, 9), len(known))
        for name in SENSITIVE:
            told, guessed = naive.guesses(name), guesses.loc[name, "|".join(known)]
            for column in ("n_claims", "n_claims_right", "n_beyond_others"):
                assert guessed[column] == told[column], (name, known, column)
            assert guessed["posterior_prob"] == float(Fraction(told["right"]) / n)
            assert guessed["posterior_loo"] == float(Fraction(told["by_others"]) / n)
    at_most = [sum(size <= m for size in fewest.values()) for m in (1, 2, 3)]
    assert found["published_facts"]["n_at_most"].tolist() == at_most
    _check_copies(found["published_copies"], given)
    _check_links(found["published_links"].iloc[0], given)


def _check_copies(table, given):
    rows, published, missing = given
    rare = [rows.count(row) == 1 for row in rows]

    def n_alike(label, row):
        agree = [covers(label[n], row[n], missing) for n in QIDS]
        hidden = missing == SUPPRESSED
        agree += [
            label[n] == row[n] and not (hidden and label[n] is None) for n in SENSITIVE
        ]
        return sum(agree)

    most = [max(n_alike(label, row) for label in published) for row in rows]
    for least, (_, row) in zip((5, 4), table.iterrows(), strict=True):
        copied = [n >= least for n in most]
        assert row["n_copied"] == sum(copied)
        assert row["n_rare"] == sum(rare)
        assert row["n_rare_copied"] == sum(map(bool.__and__, copied, rare))


def _check_links(row, given):
    sets = (("age",), ("sex", "place"), QIDS)
    one, other, both = (
        [len(each) == 1 for each in Naive(*given, known).candidates] for known in sets
    )
    pairs = [a and b for a, b in zip(one, other, strict=True)]
    assert row["n_one"] == sum(one)
    assert row["n_other"] == sum(other)
    assert row["n_both_one"] == sum(pairs)
    assert row["n_meet"] == sum(a and b for a, b in zip(pairs, both, strict=True))


@given(files(), st.lists(people, min_size=1, max_size=5))
@examples(100)
def test_a_control_is_attacked_as_the_original_is(given, control):
    rows, published, missing = given
    control += [{**control[0], "sex": sex, "ill": "w"} for sex in "abc"]
    found = measured(*given, control=control)["published_file"]
    alone = measured(control, published, missing)["published_file"]
    pd.testing.assert_series_equal(
        found["n_control_singled_out"].astype(int),
        alone["n_singled_out"].astype(int),
        check_names=False,
    )
    assert (found["n_control"] == len(control)).all()
    n_drawn = min(len(rows), len(control))
    for known, (_, row) in zip(
        [k for size in (1, 2, 3) for k in combinations(QIDS, size)],
        found.iterrows(),
        strict=True,
    ):
        draws = [*combinations(range(len(rows)), n_drawn)]
        n = sum(
            sum(Naive([rows[i] for i in draw], published, missing, known).singled_out)
            for draw in draws
        )
        assert abs(row["singled_out_of_draw"] - n / len(draws) / n_drawn) < 1e-12
        assert (
            row["beyond_control_low"]
            <= row["beyond_control"]
            <= row["beyond_control_high"]
        )
