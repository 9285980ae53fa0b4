"""The attacks that broke the public form before, on all that a report now publishes.

Somebody knows how many pupils each school has, and reads how many are in small blocks
by school and sex and how well an illness is guessed. An integer program holds what
they know. For each small count it looks for a table in which that count is another.
"""

from functools import partial
from itertools import chain

import highspy
import numpy as np
import pytest

from microleak.attacks.collective.publish import CLASS_ENDS
from microleak.disclosure import rounding
from microleak.study.tables import tables as specs
from tests.attacks.collective.test_published import publish
from tests.attacks.mechanism.intervals import counts_of

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


def possible(schools, blocks, inference):
    """All tables that a reader holds possible, and their counts of pupils and ill."""
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
    _hold_published(tables, partitions, n, blocks, inference)
    everybody = tables.number(n, n)
    row = inference.iloc[0]
    prior = tables.modal(everybody, tables.total(ill_cells, n), n)
    tables.hold({prior: 1}, *counts_of(row["prior_pct"], n, row["step_pct"]))
    return tables, pupils, ill


def _hold_published(tables, partitions, n, blocks, inference):
    """Hold tables to each number of both published tables but the prior."""
    for row in blocks.to_dict("records"):
        sizes, _ = partitions[row["qids"]]
        records = [tables.classed(size, n) for size in sizes]
        for i in range(len(CLASS_ENDS)):
            below = sum(row[name] for name in PUBLIC_CLASSES[: i + 1])
            terms = dict.fromkeys(chain(*(each[1 : i + 2] for each in records)), 1)
            tables.hold(terms, *counts_of(below, n, row["step_pct"]))
    for row in inference.to_dict("records"):
        modal = map(partial(tables.modal, most=n), *partitions[row["qids"]])
        bounds = counts_of(row["posterior_pct"], n, row["step_pct"])
        tables.hold(dict.fromkeys(modal, 1), *bounds)


def small_counts(truth, pupils, ill):
    """Each small count: its name, a sum in the program, and what it may be at most.

    Before that, from what the count takes the sum away; 0 if it is the sum itself.
    """
    for i, school in enumerate(truth):
        size, all_ill = (sum(each) for each in zip(*school, strict=True))
        in_all = dict.fromkeys([*ill[i]], 1)
        if all_ill < 10:
            yield f"ill of {i}", in_all, 0, min(9, size)
        if size - all_ill < 10:
            yield f"well of {i}", in_all, size, min(9, size)
        for sex, (n, n_ill) in enumerate(school):
            cell, are_ill = pupils[i][sex], ill[i][sex]
            counts = [
                ("pupils", n, {cell: 1}),
                ("ill", n_ill, {are_ill: 1}),
                ("well", n - n_ill, {cell: 1, are_ill: -1}),
            ]
            for name, count, terms in counts:
                if count < 10:
                    yield f"{name} of {i}, {sex}", terms, 0, min(9, size)


def narrowed(folder, truth):
    """Publish schools, each with pupils and ill of both sexes; attack what is shown."""
    rows = [
        {"school": i, "sex": sex, "ill": pupil < n_ill}
        for i, school in enumerate(truth)
        for sex, (n, n_ill) in enumerate(school)
        for pupil in range(n)
    ]
    schools = [sum(n for n, _ in school) for school in truth]
    shown = publish(folder, rows, ("school", "sex"), ("ill",))
    tables, pupils, ill = possible(schools, *shown)
    return [
        (name, value)
        for name, terms, all_of, most in small_counts(truth, pupils, ill)
        for value in sorted({0, 1, most // 2, most})
        if not tables.allow(terms, abs(all_of - value))
    ]


def made_up(seed):
    """Small and large schools, with few of one sex here and there, and few ill."""
    rng = np.random.default_rng(seed)
    schools = np.r_[rng.integers(2, 40, size=3), rng.integers(400, 900, size=3)]
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
}


@pytest.mark.parametrize("truth", ATTACKED.values(), ids=ATTACKED)
def test_every_small_count_may_still_be_any(tmp_path, truth):
    assert narrowed(tmp_path / "shown", truth) == []


def test_whole_percents_of_1000_records_would_narrow_small_counts(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(rounding, "RECORDS_A_STEP", 10)
    truth = [[(8, 0), (9, 0)], [(400, 9), (300, 9)], [(350, 9), (300, 0)]]
    assert narrowed(tmp_path / "shown", truth) != []


def test_known_totals_just_below_an_edge_may_still_narrow_a_count(tmp_path):
    """Nobody in the first school is well: a proof of each page would find that."""
    truth = [[(551, 551), (550, 550)], [(450, 25), (449, 24)]]
    assert narrowed(tmp_path / "shown", truth) == [
        ("well of 0", value) for value in (1, 4, 9)
    ]
