"""Cells are suppressed so that the blocks by each of several sets have k records."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.base.errors import StudyError
from microleak.protection.rows import BlockTarget
from microleak.protection.suppression import suppressed_columns, suppression_by_sets
from microleak.study_file.protections import StepSection
from tests.examples import examples, long

NAMES = "abcd"


def frame(seed, n=20):
    chances = [0.03, 0.6, 0.15, 0.1, 0.06, 0.06]
    rng = np.random.default_rng(seed)
    columns = {name: rng.choice(list("123456"), n, p=chances) for name in NAMES}
    return pd.DataFrame(columns)


def protected(records, sets, k):
    return microleak.protect(records, [{"suppress": sets, "k": k}], seed=1)


def smallest(records, names):
    return int(records.fillna("").groupby(list(names)).size().min())


def n_missing(records):
    return int(records.isna().to_numpy().sum())


SETS = [
    [["a", "b"], ["b", "c"]],
    [["a", "b"], ["c", "d"]],
    [["a"], ["b"], ["c", "d"]],
    [["a", "b", "c"], ["b", "c", "d"]],
    [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]],
    [["a", "b", "c"], ["a"]],
]


@pytest.mark.parametrize("sets", SETS, ids=str)
@pytest.mark.parametrize("k", [2, *long(3)])
def test_every_set_has_k_and_no_more_cells_are_lost_than_by_all_attributes(sets, k):
    records = frame(k)
    found = protected(records, sets, k)
    assert all(smallest(found.records, names) >= k for names in sets)
    as_one = protected(records, sorted({n for names in sets for n in names}), k)
    assert n_missing(found.records) <= n_missing(as_one.records)
    row = found.changes.iloc[0]
    assert row["n_suppressed"] == n_missing(found.records)
    assert row["n_suppressed_at_least"] <= row["n_suppressed"]


@pytest.mark.parametrize("n_tables", [3, *long(8)])
def test_over_random_tables_far_fewer_cells_are_lost_than_by_all_attributes(n_tables):
    sets = [["a", "b"], ["b", "c"], ["c", "d"]]
    tables = [frame(seed) for seed in range(n_tables)]
    ours = sum(n_missing(protected(each, sets, 2).records) for each in tables)
    as_one = sum(n_missing(protected(each, [*NAMES], 2).records) for each in tables)
    assert ours < 0.9 * as_one


@pytest.mark.parametrize(
    "order", [[2, 0, 1], *long(*map(list, permutations(range(3))))], ids=str
)
def test_the_order_of_sets_and_of_their_attributes_makes_no_difference(order):
    sets = [["a", "b"], ["b", "c"], ["c", "d"]]
    records = frame(5)
    other = [sets[n][::-1] for n in order]
    assert protected(records, other, 3).records.equals(
        protected(records, sets, 3).records
    )


def test_a_set_that_is_given_twice_or_alone_is_one_set():
    records = frame(6)
    alone = protected(records, ["a", "b"], 2).records
    assert protected(records, [["a", "b"]], 2).records.equals(alone)
    assert protected(records, [["a", "b"], ["b", "a"]], 2).records.equals(alone)


def test_where_nothing_need_be_suppressed_nothing_is():
    records = pd.concat([frame(7)] * 2, ignore_index=True)
    found = protected(records, [["a", "b"], ["b", "c"]], 2)
    assert found.records.equals(records)
    assert found.changes.iloc[0]["n_suppressed"] == 0


codes = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@given(st.lists(codes, min_size=4, max_size=14), st.integers(2, 4))
@examples(40)
def test_each_set_has_k_and_cells_are_as_they_were_or_missing(rows, k):
    columns = [np.array(each, np.uint8) for each in zip(*rows, strict=True)]
    sets = [(0, 1), (1, 2)]
    found = suppression_by_sets(columns, sets, BlockTarget(k))
    for own in sets:
        of_set = np.stack([found.codes[i] for i in own])
        assert np.unique(of_set, axis=1, return_counts=True)[1].min() >= min(k, 4)
    for before, after in zip(columns, found.codes, strict=True):
        assert ((after == before) | (after == 0)).all()
    n_cells = sum(
        int((a != b).sum()) for a, b in zip(columns, found.codes, strict=True)
    )
    assert found.n_cells == n_cells
    single = [
        suppressed_columns([columns[i] for i in own], BlockTarget(k)) for own in sets
    ]
    assert max(each.at_least for each in single) <= found.at_least <= n_cells


def test_the_bound_is_never_above_what_a_search_of_all_ways_finds():
    columns = [
        np.array(c, np.uint8) for c in ([1, 1, 2, 2], [1, 2, 1, 1], [1, 1, 1, 2])
    ]
    sets = [(0, 1), (1, 2)]
    found = suppression_by_sets(columns, sets, BlockTarget(2))
    fewest = 12
    for way in range(1 << 12):
        lost = np.array([way >> i & 1 for i in range(12)], bool).reshape(3, 4)
        left = np.where(lost, 0, np.stack(columns))
        of_sets = (
            np.unique(left[[*own]], axis=1, return_counts=True)[1] for own in sets
        )
        if all(counts.min() >= 2 for counts in of_sets):
            fewest = min(fewest, int(lost.sum()))
    assert found.at_least <= fewest <= found.n_cells


@pytest.mark.parametrize(
    "target", [{"alone": "0.1"}, {"l": 2, "of": ["d"]}, {"certain": "0", "of": ["d"]}]
)
def test_several_sets_are_for_k_alone(target):
    step = {"suppress": [["a", "b"], ["b", "c"]], **target}
    with pytest.raises(StudyError, match="several sets in suppress, which only k"):
        microleak.protect(frame(1), [step], seed=1)


def test_two_steps_for_overlapping_sets_are_told_to_be_one():
    steps = [{"suppress": ["a", "b"], "k": 2}, {"suppress": ["b", "c"], "k": 2}]
    with pytest.raises(StudyError, match=r"suppress: \[\[A, B\], \[B, C\]\]"):
        microleak.protect(frame(1), steps, seed=1)


@pytest.mark.parametrize(
    ("later", "is_kept"),
    [
        ({"suppress": ["a", "b", "c"], "k": 2}, True),
        ({"suppress": ["a", "b"], "k": 3}, False),
        ({"suppress": [["a", "b"], ["b", "c"]], "k": 3}, True),
        ({"suppress": [["a", "b"], ["b", "c"]], "k": 2}, True),
        ({"suppress": ["d"], "k": 3}, True),
        ({"sample": "0.5"}, False),
        ({"swap": ["a"], "rate": "0.5"}, False),
    ],
    ids=str,
)
def test_a_later_step_must_keep_what_each_set_has(later, is_kept):
    steps = [{"suppress": [["a", "b"], ["b", "c"]], "k": 2}, later]
    if is_kept:
        found = microleak.protect(frame(2), steps, seed=1).records
        assert min(smallest(found, "ab"), smallest(found, "bc")) >= 2
    else:
        with pytest.raises(StudyError, match=r"that step 1, set \d, suppresses cells"):
            microleak.protect(frame(2), steps, seed=1)


def test_what_is_written_of_a_step_gives_the_step_again():
    step = StepSection(suppress=[["a", "b"], ["b", "c"]], k=2)
    assert step.changed == ("a", "b", "c")
    assert StepSection(**step.as_written) == step
    assert step.parameters("") == {"k": 2, "sets": [["a", "b"], ["b", "c"]]}


def test_known_protection_takes_a_recipe_of_several_sets():
    records = frame(3)
    steps = [{"suppress": [["a", "b"], ["b", "c"]], "k": 2}]
    out = microleak.protect(records, steps, seed=1).records
    found = microleak.known_protection(records, out, steps, ["a", "b"])
    assert len(found.known_protection)
    assert not len(found.undone_cells)
