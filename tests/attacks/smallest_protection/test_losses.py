"""Losses of all nodes, each from the protected records themselves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import microleak
from microleak.base.errors import MicroleakError, StudyError
from microleak.definitions.tabulated import largest_error, total_variation
from microleak.protection.tabulations import (
    labelled_attribute,
    tabulated_counts,
    used_values,
)
from microleak.records.hierarchy import levels_of
from microleak.study_file.hierarchies import HierarchySection
from tests.examples import examples
from tests.protection.test_methods import column, read
from tests.protection.test_tabulations import columns_of, design_of

QIDS = ["age", "town"]
LEVELS = {"age": {"widths": [5, 10]}, "town": {"prefixes": [1]}}
NAMES = {"age": ["", "width 5", "width 10"], "town": ["", "prefix 1"]}
TEXTS = ("left_out", "levels", "tables_changed")
VALUES = {
    "age": ["1", "3", "7", "12", "15", None],
    "town": ["N1", "N2", "S1", None],
    "ill": ["y", "n", None],
    "wage": ["10", "20", "35"],
}
rows = st.lists(
    st.tuples(*(st.sampled_from(values) for values in VALUES.values())),
    min_size=1,
    max_size=20,
)


def labels_at(columns, name, level):
    """The label of each value that records have, on a level; itself of no QID."""
    values = used_values(columns[name])
    if name not in LEVELS:
        return dict(zip(values, values, strict=True))
    section = HierarchySection(**{k: tuple(v) for k, v in LEVELS[name].items()})
    levels = levels_of(section, values, name)  # fewer if all are alike before the last
    return dict(zip(values, levels[min(level, len(levels) - 1)], strict=True))


def cells_at(columns, attributes, node):
    """The cells of a table, from the records of a release with these labels."""
    n = len(columns["age"].codes)
    labelled = []
    for name in attributes:
        new = labels_at(columns, name, node.get(name, 0))
        after = column([new[text] for text in read(columns[name])])
        labelled.append(labelled_attribute(columns[name], [*new.values()], after, n))
    cells, *_ = tabulated_counts(labelled)
    return cells


def node_of(row):
    told = dict(each.rsplit(":", 1) for each in (row.levels or "").split("|") if each)
    left_out = (row.left_out or "").split("|")
    return {
        name: len(NAMES[name])
        if name in left_out
        else NAMES[name].index(told.get(name, ""))
        for name in QIDS
    }


def searched(given, loss, tabulations=None, target=None):
    """All nodes of a search, by re-identification."""
    people = pd.DataFrame(given, columns=[*VALUES], dtype="string")
    found = microleak.smallest_protection(
        people, QIDS, LEVELS, target or {"alone": 1}, loss=loss, tabulations=tabulations
    ).smallest_protection
    return found.assign(**{n: found[n].fillna("") for n in TEXTS})


@given(rows)
@examples(30)
def test_tables_lose_what_the_same_tables_of_the_protected_release_do(given):
    columns = columns_of(given, VALUES)
    tables = {"one": ["age", "ill"], "two": ["town", "age", "wage"]}
    measures = {
        "total_variation": total_variation,
        "largest_error": lambda cells: largest_error(cells) / cells.n_records,
    }
    for loss, measure in measures.items():
        nodes = searched(given, {loss: [*tables]}, tables)
        for row in nodes.itertuples():
            node = node_of(row)
            each = [measure(cells_at(columns, t, node)) for t in tables.values()]
            assert row.loss == pytest.approx(float(max(each)), abs=1e-11)
        assert nodes.loc[nodes["is_answer"], "loss"].tolist() == [0.0]


@given(rows)
@examples(40)
def test_tables_that_change_are_told_of_single_changes_and_the_answer(given):
    columns = columns_of(given, VALUES)
    tables = {"one": ["age", "ill"], "two": ["town", "age"], "ills": ["ill", "wage"]}
    for row in searched(given, "information", tables).itertuples():
        node = node_of(row)
        expected = {}
        for name in ("one", "two"):
            lost = total_variation(cells_at(columns, tables[name], node))
            if lost and (row.n_changed == 1 or row.is_answer):
                expected[name] = pytest.approx(float(lost), abs=1e-11)
        told = [each.rsplit(":", 1) for each in row.tables_changed.split("|") if each]
        assert {name: float(share) for name, share in told} == expected


@given(rows)
@examples(40)
def test_cells_lose_those_whose_label_is_another_text(given):
    columns = columns_of(given, VALUES)
    for row in searched(given, "cells").itertuples():
        n_changed = 0
        for name, level in node_of(row).items():
            new = labels_at(columns, name, level)
            changed = {old for old, label in new.items() if old != label}
            n_changed += sum(text in changed for text in read(columns[name]))
        assert row.loss == pytest.approx(n_changed / (2 * len(given)), abs=1e-12)


@given(rows.filter(lambda given: len({row[3] for row in given}) > 1))
@example([("1", None, "y", "10"), ("3", None, "y", "20")])
@examples(40)
def test_a_regression_loses_what_the_records_of_labels_move_its_coefficients(given):
    columns = columns_of(given, VALUES)
    whole = [row for row in given if row[0] is not None]
    if len({row[3] for row in whole}) < 2 or len({row[:2] for row in whole}) < 2:
        return
    if all(row[1] is None for row in given):  # refused: nothing to go by
        return

    def design(node):
        """Age as a number, towns as indicators, each spread over a label's values."""
        labels = {name: labels_at(columns, name, node[name]) for name in QIDS}
        told = [(labels["age"][row[0]], labels["town"][row[1]]) for row in whole]
        return design_of(given, told, lambda n, v: labels[n][v], QIDS, [*VALUES])

    wages = np.array([float(row[3]) for row in whole])
    before = design({"age": 0, "town": 0})
    scale = before.std(axis=0)
    scale[scale == 0] = 1.0

    def fitted(x):
        x = np.round((x - x.mean(axis=0)) / scale, 11)
        return np.linalg.pinv(x, rcond=1e-9) @ (wages - wages.mean()) / wages.std()

    loss = {"regression": {"outcome": "wage", "on": ["age", "town"]}}
    for row in searched(given, loss).itertuples():
        moved = np.abs(fitted(design(node_of(row))) - fitted(before)).max(initial=0)
        assert row.loss == pytest.approx(moved, abs=1e-8)


@given(rows, st.integers(1, 4))
@examples(30)
def test_the_answer_loses_least_of_the_table_among_all_nodes_that_hold(given, k):
    if len(given) < k:
        return
    target = {"k": k} if k > 1 else {"alone": 1}
    tables = {"one": ["age", "ill"]}
    nodes = searched(given, {"total_variation": ["one"]}, tables, target)
    (answer,) = nodes.loc[nodes["is_answer"], "loss"]
    assert answer == nodes.loc[nodes["holds"], "loss"].min()


PEOPLE = [("1", "N1", "y", "10"), ("12", "S1", "n", "20"), ("3", "N2", None, "35")]


def test_a_loss_that_cannot_be_is_refused(loss, said):
    with pytest.raises((StudyError, MicroleakError), match=said):
        searched(PEOPLE, loss, {"one": ["age"], "ills": ["ill"]})


def regressed(wages, **on):
    told = pd.DataFrame({"wage": wages, **on}, dtype="string")
    levels = {name: {"prefixes": [1]} for name in on}
    loss = {"regression": {"outcome": "wage", "on": [*on]}}
    found = microleak.smallest_protection(told, [*on], levels, {"alone": 1}, loss=loss)
    return found.smallest_protection["loss"].tolist()


def test_a_regression_with_nothing_to_go_by_is_refused(wages, on, said):
    with pytest.raises(MicroleakError, match=said):
        regressed(wages, x=on)


@pytest.mark.parametrize("part", ["0.01", "0", "9"])
def test_attributes_that_nearly_follow_from_one_another_are_refused(part):
    rng = np.random.default_rng(3)
    x = rng.integers(100, 900, 60)
    wages = [str(w) for w in rng.integers(10, 99, 60)]
    columns = {
        "x": [str(value) for value in x],
        "other": [f"{value + float(part) * (value % 2)}" for value in x],
    }
    if part == "0.01":
        with pytest.raises(MicroleakError, match=r"is above 10,000\. Name fewer"):
            regressed(wages, **columns)
    else:
        assert np.isfinite(regressed(wages, **columns)).all()


def test_a_regression_loses_the_same_whatever_the_order_of_records():
    rng = np.random.default_rng(5)
    x = rng.integers(100, 900, 60)
    rows = list(zip(*(x + rng.integers(0, 99, 60), x, x + x % 7), strict=True))
    found = set()
    for _ in range(5):
        wages, *on = ([str(v) for v in column] for column in zip(*rows, strict=True))
        found.add(tuple(regressed(wages, x=on[0], other=on[1])))
        rng.shuffle(rows)
    assert len(found) == 1


def test_more_cells_than_can_be_weighed_are_refused(monkeypatch):
    path = "microleak.attacks.smallest_protection.losses.MOST_WEIGHED"
    monkeypatch.setattr(path, 11)
    with pytest.raises(MicroleakError, match="has 3 cells that are not empty, of 3"):
        searched(PEOPLE, {"total_variation": ["one"]}, {"one": ["age"]})
