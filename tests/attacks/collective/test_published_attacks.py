"""The attacks that broke the public form before, on all that a report now publishes.

Somebody knows how many pupils each school has, and reads how many are in small blocks
by school and sex, how well an illness is guessed, and how many of each large school and
of each sex are alone by school, sex and a code. An integer program holds what they
know. For each small count it looks for a table in which that count is another.
"""

from functools import partial
from itertools import chain

import highspy
import numpy as np
import pytest

from microleak.attacks.collective.publish import CLASS_ENDS
from microleak.attacks.risk_groups import publish as publish_groups
from microleak.disclosure import rounding
from microleak.study.tables import tables as specs
from tests.attacks.collective.test_published import publish
from tests.attacks.mechanism.intervals import counts_of
from tests.attacks.risk_groups.publishing import publish_alone

PUBLIC_CLASSES = specs()["blocks"].saying("share")

CLASSES = [(0, 0), (1, 1), (2, 4), (5, 9), (10, 99), (100, 10**6)]
"""Least and most records of a block in each class, an empty block's first."""


class Tables:
    """All tables that somebody holds possible, as an integer program."""

    def __init__(self):
        self.program = highspy.Highs()
        self.program.silent()

    def number(self, most, least=0):
        """A whole number of the table."""
        column = self.program.getNumCol()
        self.program.addVar(float(least), float(most))
        self.program.changeColIntegrality(column, highspy.HighsVarType.kInteger)
        return column

    def hold(self, terms, least=-np.inf, most=np.inf):
        """Hold a sum of numbers, by their factors, between two bounds."""
        columns = np.array([*terms], dtype=np.int32)
        factors = np.array([*terms.values()], dtype=float)
        self.program.addRow(float(least), float(most), len(terms), columns, factors)

    def total(self, numbers, most, least=0):
        """The sum of some numbers."""
        total = self.number(most, least)
        self.hold(dict.fromkeys(numbers, 1) | {total: -1}, 0, 0)
        return total

    def classed(self, size, most):
        """Records of a block, in the class of its size and in no other."""
        places = [self.number(1) for _ in CLASSES]
        records = [self.number(most) for _ in CLASSES]
        self.hold(dict.fromkeys(places, 1), 1, 1)
        self.hold(dict.fromkeys(records, 1) | {size: -1}, 0, 0)
        for place, n, (first, last) in zip(places, records, CLASSES, strict=True):
            self.hold({n: 1, place: -first}, least=0)
            self.hold({n: 1, place: -min(last, most)}, most=0)
        return records

    def modal(self, size, ill, most):
        """The larger number of a block: of its ill or of its other records."""
        larger, are_ill_more = self.number(most), self.number(1)
        self.hold({larger: 1, ill: -1}, least=0)
        self.hold({larger: 1, ill: 1, size: -1}, least=0)
        self.hold({larger: 1, ill: -1, are_ill_more: most}, most=most)
        self.hold({larger: 1, ill: 1, size: -1, are_ill_more: -most}, most=0)
        return larger

    def allow(self, terms, value):
        """Say whether a sum of numbers may have a value."""
        self.hold(terms, value, value)
        self.program.run()
        status = self.program.getModelStatus()
        last = np.array([self.program.getNumRow() - 1], dtype=np.int32)
        self.program.deleteRows(1, last)
        return {
            highspy.HighsModelStatus.kOptimal: True,
            highspy.HighsModelStatus.kInfeasible: False,
        }[status]


def possible(schools, blocks, inference, alone):
    """All tables that a reader holds possible, and their pupils, ill and alone."""
    tables, n = Tables(), sum(schools)
    pupils = [[tables.number(size) for _ in range(2)] for size in schools]
    ill = [[tables.number(size) for _ in range(2)] for size in schools]
    for size, of_school, are_ill in zip(schools, pupils, ill, strict=True):
        tables.hold(dict.fromkeys(of_school, 1), size, size)
        for cell, n_ill in zip(of_school, are_ill, strict=True):
            tables.hold({n_ill: 1, cell: -1}, most=0)
    sexes, ill_sexes = (
        [tables.total(cells, n) for cells in zip(*each, strict=True)]
        for each in (pupils, ill)
    )
    cells, ill_cells = [*chain(*pupils)], [*chain(*ill)]
    known = [tables.number(size, size) for size in schools]
    ill_schools = [tables.total(each, n) for each in ill]
    partitions = {
        "school": (known, ill_schools),
        "sex": (sexes, ill_sexes),
        "school|sex": (cells, ill_cells),
    }
    by_code = [[tables.number(size) for _ in range(2)] for size in schools]
    classed = {
        qids: [tables.classed(size, n) for size in sizes]
        for qids, (sizes, _) in partitions.items()
    }
    each = zip(cells, chain(*by_code), classed["school|sex"], strict=True)
    for cell, are_alone, (_, of_one, *_) in each:
        tables.hold({are_alone: 1, cell: -1}, most=0)
        tables.hold({are_alone: 1, of_one: -1}, least=0)
    _hold_blocks(tables, classed, n, blocks)
    _hold_inference(tables, partitions, n, inference)
    _hold_groups(tables, {"school": known, "sex": sexes}, by_code, n, alone)
    everybody = tables.number(n, n)
    row = inference.iloc[0]
    prior = tables.modal(everybody, tables.total(ill_cells, n), n)
    tables.hold({prior: 1}, *counts_of(row["prior_pct"], n, row["step_pct"]))
    return tables, pupils, ill, by_code


MEMBERS = {10: (1_000, 1_999), 5: (2_000, 4_999), 2: (5_000, 9_999), 1: (10_000, 10**9)}
"""Least and most members of a group by the step of its share."""


def _hold_groups(tables, sizes, by_code, n, alone):
    """Hold tables to each number of the groups, whose sizes may be unknown."""
    every = chain(*by_code)
    for row in alone.to_dict("records")[:1]:
        bounds = counts_of(row["alone_of_all_pct"], n, row["step_of_all_pct"])
        tables.hold(dict.fromkeys(every, 1), *bounds)
    parts = {"school": by_code, "sex": [*zip(*by_code, strict=True)]}
    for row in alone.to_dict("records"):
        place, step = int(row["value"]), row["step_pct"]
        members = sizes[row["by"]][place]
        tables.hold({members: 1}, *MEMBERS[step])
        # The share's number of steps, k, is the whole part of its steps and a half.
        counts = dict.fromkeys(parts[row["by"]][place], 200)
        k = row["alone_pct"] // step
        tables.hold(counts | {members: step - 2 * step * k}, least=0)
        tables.hold(counts | {members: step - 2 * step * (k + 1)}, most=-1)


def _hold_blocks(tables, classed, n, blocks):
    """Hold tables to each number of the blocks."""
    for row in blocks.to_dict("records"):
        records = classed[row["qids"]]
        for i in range(len(CLASS_ENDS)):
            below = sum(row[name] for name in PUBLIC_CLASSES[: i + 1])
            terms = dict.fromkeys(chain(*(each[1 : i + 2] for each in records)), 1)
            tables.hold(terms, *counts_of(below, n, row["step_pct"]))


def _hold_inference(tables, partitions, n, inference):
    """Hold tables to each number of the right guesses but the prior."""
    for row in inference.to_dict("records"):
        modal = map(partial(tables.modal, most=n), *partitions[row["qids"]])
        bounds = counts_of(row["posterior_pct"], n, row["step_pct"])
        tables.hold(dict.fromkeys(modal, 1), *bounds)


def small_counts(truth, numbers):
    """Each small count: its name, a sum in the program, and what it may be at most.

    Before that, from what the count takes the sum away; 0 if it is the sum itself.
    """
    pupils, ill, by_code = numbers
    for i, school in enumerate(truth):
        size, all_ill, all_alone = (sum(each) for each in zip(*school, strict=True))
        in_all = dict.fromkeys([*ill[i]], 1)
        if all_ill < 10:
            yield f"ill of {i}", in_all, 0, min(9, size)
        if size - all_ill < 10:
            yield f"well of {i}", in_all, size, min(9, size)
        if all_alone < 10:
            yield f"alone of {i}", dict.fromkeys(by_code[i], 1), 0, min(9, size)
        if size - all_alone < 10:
            yield f"others of {i}", dict.fromkeys(by_code[i], 1), size, min(9, size)
        for sex, (n, n_ill, n_alone) in enumerate(school):
            cell, are_ill = pupils[i][sex], ill[i][sex]
            are_alone = by_code[i][sex]
            counts = [
                ("pupils", n, {cell: 1}),
                ("ill", n_ill, {are_ill: 1}),
                ("well", n - n_ill, {cell: 1, are_ill: -1}),
            ]
            if n >= 10:
                counts += [
                    ("alone", n_alone, {are_alone: 1}),
                    ("others", n - n_alone, {cell: 1, are_alone: -1}),
                ]
            for name, count, terms in counts:
                if count < 10:
                    yield f"{name} of {i}, {sex}", terms, 0, min(9, size)


def with_alone(truth, seed=0):
    """Schools, each with pupils, ill and alone of both sexes: few, half or nearly all.

    Nobody is the only one of a school and sex who is not alone.
    """
    rng = np.random.default_rng(seed)
    shares = [0, 0.004, 0.5, 0.996, 1]
    return [
        [
            (n, n_ill, n if n - drawn == 1 or n == 1 else drawn)
            for n, n_ill in school
            for drawn in [int(rng.binomial(n, rng.choice(shares)))]
        ]
        for school in truth
    ]


def narrowed(folder, truth):
    """Publish schools, each with pupils, ill and alone of both sexes; attack that."""
    rows = [
        {
            **{"school": i, "sex": sex, "ill": pupil < n_ill},
            "code": pupil if pupil < n_alone else "common",
        }
        for i, school in enumerate(truth)
        for sex, (n, n_ill, n_alone) in enumerate(school)
        for pupil in range(n)
    ]
    schools = [sum(n for n, *_ in school) for school in truth]
    shown = publish(folder, rows, ("school", "sex"), ("ill",))
    qids, by = ["school", "sex", "code"], ["school", "sex"]
    alone = publish_alone(folder, rows, qids, by, subsets="full")
    tables, *numbers = possible(schools, *shown, alone)
    return [
        (name, value)
        for name, terms, all_of, most in small_counts(truth, numbers)
        for value in sorted({0, 1, most // 2, most})
        if not tables.allow(terms, abs(all_of - value))
    ]


def made_up(seed, large=(400, 900)):
    """Small and large schools, with few of one sex here and there, and few ill."""
    rng = np.random.default_rng(seed)
    schools = np.r_[rng.integers(2, 40, size=3), rng.integers(*large, size=3)]
    girls = rng.binomial(schools, rng.choice([0, 0.01, 0.05, 0.5], size=6))
    pupils = np.stack([girls, schools - girls], axis=1)
    ill = rng.binomial(pupils, rng.choice([0, 0.005, 0.5, 1], size=(6, 2)))
    return np.stack([pupils, ill], axis=2).tolist()


STREETS = [[(1, 1), (1, 0)], [(2, 0), (0, 0)], [(3, 3), (2, 2)]] * 2
"""Streets of two and five, of whom all, some or none are ill."""

ATTACKED = {
    "two neighbours, nobody certain (C2)": [[(1, 1), (1, 0)], [(900, 400), (700, 300)]],
    "a school that is all ill (C3)": [[(8, 8), (7, 7)], [(600, 5), (700, 3)]],
    "a table that is all ill (C3)": [[(15, 15), (0, 0)], [(600, 600), (700, 700)]],
    "streets of two and five (C1)": [*STREETS, [(600, 40), (500, 9)]],
    **{f"schools of known sizes, {seed} (C1)": made_up(seed) for seed in (0, 2)},
    "large schools": made_up(3, (1_000, 1_500)),
}


@pytest.mark.parametrize("truth", ATTACKED.values(), ids=ATTACKED)
def test_every_small_count_may_still_be_any(tmp_path, truth):
    assert narrowed(tmp_path / "shown", with_alone(truth)) == []


def test_whole_percents_of_1000_records_would_narrow_small_counts(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(rounding, "RECORDS_A_STEP", 10)
    truth = [[(8, 0), (9, 0)], [(400, 9), (300, 9)], [(350, 9), (300, 0)]]
    assert narrowed(tmp_path / "shown", with_alone(truth)) != []


def test_known_totals_just_below_an_edge_may_still_narrow_a_count(tmp_path):
    """Nobody in the first school is well: a proof of each page would find that."""
    truth = [[(551, 551, 0), (550, 550, 0)], [(450, 25, 0), (449, 24, 0)]]
    assert narrowed(tmp_path / "shown", truth) == [
        ("well of 0", value) for value in (1, 4, 9)
    ]


def test_shares_that_all_lie_at_an_edge_may_still_narrow_a_count(tmp_path):
    """Of 150 alone in all, 149 are of the first school: of the second somebody is."""
    truth = [[(500, 200, 74), (500, 200, 75)], [(500, 200, 1), (500, 200, 0)]]
    assert narrowed(tmp_path / "shown", truth) == [("alone of 1", 0)]


SMALL_AND_LARGE = [[(500, 200, 424), (500, 200, 425)], [(5, 2, 5), (5, 3, 5)]]
"""All ten of the small school are alone, and 849 of the other one."""


def test_a_single_group_that_is_left_out_is_not_found_by_subtraction(tmp_path):
    assert narrowed(tmp_path / "shown", SMALL_AND_LARGE) == []


def test_without_a_second_one_it_would_be(tmp_path, monkeypatch):
    monkeypatch.setattr(publish_groups, "_large", lambda g: g[g["n_members"] >= 1_000])
    found = narrowed(tmp_path / "shown", SMALL_AND_LARGE)
    assert found
    assert {name.split(" of ")[0] for name, _ in found} <= {"alone", "others"}
