"""Local suppression for shares alone, for several values, shares certain, and sets."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import microleak
from microleak.attacks.known_protection.definitions import values_left
from microleak.base.errors import MicroleakError, StudyError
from microleak.protection import fewest_cells, mixing
from microleak.protection.rows import BlockTarget, rows_of
from microleak.protection.search import alone_with_values
from microleak.protection.suppression import suppressed_columns, suppression_by_sets
from microleak.study_file.protections import StepSection
from tests.examples import examples, long, seeds
from tests.protection.test_frames import PEOPLE
from tests.protection.test_suppression import (
    check,
    columns,
    fewest,
    fewest_by_blocks,
    n_cells,
    n_outside,
    records,
    skewed,
)

TARGETS = [
    *(BlockTarget(2, n_exempt=n) for n in (1, 2, 4)),
    BlockTarget(l=2),
    BlockTarget(l=3),
    *(BlockTarget(l=2, n_exempt=n) for n in (1, 2, 4)),
]


def values_of(target, *sensitive):
    """Return the sensitive columns that a target is of; one for certain."""
    return sensitive[: (target.l > 1) + (target.l > 1 and not target.n_exempt)]


def reachable(codes, target, sensitive):
    return len(codes[0]) >= target.k and all(
        len({*column.tolist()}) >= target.l for column in sensitive
    )


@pytest.mark.parametrize("n_times", [1, *long(6)])
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_no_pattern_of_a_small_table_takes_fewer_cells(target, n_times):
    """All patterns of four records in three columns, and all ways to share out ten."""
    rng = np.random.default_rng(1)
    for n_records, n_columns, oracle, n_tables in (
        (4, 3, fewest, n_times),
        (3, 8, fewest_by_blocks, 2 * n_times),
        (8, 3, fewest_by_blocks, 2 * n_times),
    ):
        for _ in range(n_tables):
            most = rng.integers(1, 5, size=n_columns)
            codes = [rng.integers(0, m + 1, n_records).astype(np.uint8) for m in most]
            drawn = rng.integers(0, 4, (2, n_records)).astype(np.uint8)
            sensitive = values_of(target, *drawn)
            if reachable(codes, target, sensitive):
                found = check(codes, target, sensitive)
                assert found.n_cells == found.at_least
                assert found.n_cells == oracle(codes, target, sensitive)


cells = st.tuples(*[st.integers(0, 2)] * 3, st.integers(0, 2), st.integers(0, 2))


@examples(60)
@given(
    st.lists(cells, min_size=2, max_size=7),
    st.sampled_from([*TARGETS, *map(BlockTarget, (2, 3, 4))]),
)
def test_the_search_and_the_bounds_have_the_fewest_cells_between_them(rows, target):
    *codes, one, other = columns(rows)
    sensitive = values_of(target, one, other)
    assume(reachable(codes, target, sensitive))
    best = fewest_by_blocks(codes, target, sensitive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fewest_cells, "MOST_OF_EXACT", 0)
        by_parts = check(codes, target, sensitive)
        patch.setattr(fewest_cells, "MOST_OPTIONS", 0)
        plain = check(codes, target, sensitive)
    assert plain.at_least <= by_parts.at_least <= best <= by_parts.n_cells


@pytest.mark.parametrize("seed", seeds(6))
@pytest.mark.parametrize("target", [TARGETS[2], *TARGETS[3:6]], ids=str)
def test_larger_tables_keep_to_the_target(seed, target):
    rng = np.random.default_rng(seed)
    codes = skewed(seed)
    drawn = np.minimum(rng.geometric(0.5, (2, len(codes[0]))), 5).astype(np.uint8)
    check(codes, target, values_of(target, *drawn))


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_asked_only_for_subsets_that_they_may_keep(seed):
    codes = skewed(seed)
    rng = np.random.default_rng(seed)
    values = [np.minimum(rng.geometric(0.5, len(codes[0])), 5).astype(np.uint8)]
    table, _ = rows_of(codes, values)
    lost = alone_with_values(table, 2)
    pairs = [*zip(records(codes), values[0].tolist(), strict=True)]

    def guests(row, kept):
        """Values of those who are like a row in what it keeps."""
        places = [i for i, is_kept in enumerate(kept) if is_kept]
        own = [row[i] for i in places]
        return {value for other, value in pairs if [other[i] for i in places] == own}

    def n_lost(row):
        """Return the fewest cells without which the guests of a row have two values."""
        sets = product(*({bool(cell), False} for cell in row))
        fitting = (sum(kept) for kept in sets if len(guests(row, kept)) > 1)
        return sum(cell > 0 for cell in row) - max(fitting)

    naive = [n_lost(row) for row, _ in {*pairs}]
    assert Counter(lost.n_lost.tolist()) == Counter(naive)
    least = int((lost.n_lost * table.counts).sum())
    assert mixing.mixed_pieces(table, 2, lost).n_cells(table) >= least


def test_of_a_share_that_nobody_exceeds_no_cell_is_lost():
    codes = skewed(2)
    n_alone = n_outside(records(codes), (), BlockTarget(2))
    found = check(codes, BlockTarget(2, n_exempt=n_alone))
    assert found.n_cells == found.at_least == 0


def test_what_is_wrong_with_a_target_is_said_in_one_sentence(step, words):
    frame = PEOPLE.to_pandas().assign(one="x")
    with pytest.raises(MicroleakError) as error:
        microleak.protect(frame, [{"suppress": ["age"], **step}])
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_the_only_record_stays_alone_whatever_it_loses():
    with pytest.raises(MicroleakError, match="there is one record, so that alone = 1"):
        microleak.protect(PEOPLE[:1], [{"suppress": ["age"], "alone": "0.5"}])


DIVERSE = {"suppress": ["age"], "l": 2, "of": ["ill"]}
CERTAIN = {"suppress": ["age"], "certain": "0.3", "of": ["ill"]}


def test_what_may_break_a_target_afterwards_is_refused(first, step, words):
    said = f"^protect, step 2: .* may leave .*{words}"
    with pytest.raises(MicroleakError, match=said):
        microleak.protect(PEOPLE, [first, step], hierarchies={"ill": {}, "age": {}})


def test_what_keeps_a_target_may_follow(first, step):
    found = microleak.protect(PEOPLE, [first, step], hierarchies={"age": {}})
    assert found.changes.loc[0, "methods"].startswith("suppress")


def test_the_table_of_changes_says_for_what_cells_were_suppressed():
    found = microleak.protect(PEOPLE, [CERTAIN]).changes
    assert found.loc[0, "parameters"] == "certain=0.3 of=ill"
    assert found.loc[0, "n_suppressed"] == found.loc[0, "n_suppressed_at_least"]
    assert found["attribute"].tolist() == ["", "age"]


def test_someone_who_knows_that_cells_were_suppressed_for_values_is_not_reckoned():
    safe = microleak.protect(PEOPLE, [DIVERSE]).records
    with pytest.raises(MicroleakError) as error:
        microleak.known_protection(PEOPLE, safe, [DIVERSE], qids=["age"])
    assert str(error.value) == (
        "known_protection: step 1 of the protection suppresses cells for values of "
        "ill, so that which cells are missing tells of these, of which the adversary's "
        "belief is not computed. Suppress for k or alone, or remove the attributes of "
        "the step from the analysis."
    )


def test_someone_who_knows_of_a_share_alone_rules_out_who_stays_alone():
    """The other three of a = 1 would have company with the value of the one alone."""
    people = {"a": [*"111122222222"], "b": [*"abcdaabbccdd"]}
    frame = PEOPLE.from_pydict(people)
    step = {"suppress": ["a", "b"], "alone": "0.1"}
    safe = microleak.protect(frame, [step]).records
    assert safe.to_pydict()["b"][:4].count(None) == 3
    found = microleak.known_protection(frame, safe, [step], qids=["a", "b"])
    cells = found.undone_cells.set_index("attribute")
    assert cells.loc["b", "n_values"] == 4
    assert cells.loc["b", "mean_values_left"] == 3


@examples(60)
@given(st.lists(cells, min_size=2, max_size=7), st.sampled_from((0, 1, 2)))
def test_no_true_value_is_ruled_out_where_no_cell_was_lost_without_need(rows, n):
    codes = columns([row[:3] for row in rows])
    found = check(codes, BlockTarget(2, n_exempt=n))
    assume(found.n_cells == found.at_least)
    size = Counter(published := records(found.codes))
    different = [*size]
    blocks = [np.array(codes) for codes in zip(*different, strict=True)]
    for own, true in enumerate(codes):
        at, n_out = values_left(blocks, np.array([*size.values()]), own, 2)
        for i, ruled_out in zip(at.tolist(), n_out.tolist(), strict=True):
            beside = {
                row[own]
                for row in different
                if row[own] and _rest(row, own) == _rest(different[i], own)
                if size[different[i]] != 2 or size[row] == 1
            }
            assert len(beside) == ruled_out
            lost = [r for r, row in enumerate(published) if row == different[i]]
            assert not beside & {*true[lost].tolist()}


def _rest(row, own):
    return row[:own] + row[own + 1 :]


def test_a_share_of_all_records_changes_nothing(n, step):
    frame = PEOPLE[:n].to_pandas().assign(one="x", none=None)
    found = microleak.protect(frame, [step])
    assert found.records["age"].isna().tolist() == frame["age"].isna().tolist()
    row = found.changes.iloc[0]
    assert (row["n_suppressed"], row["n_suppressed_at_least"]) == (0, 0)


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
    expected = protected(records, sets, 3).records
    assert protected(records, other, 3).records.equals(expected)


def test_a_set_that_is_given_twice_or_alone_is_one_set():
    records = frame(6)
    alone = protected(records, ["a", "b"], 2).records
    for sets in ([["a", "b"]], [["a", "b"], ["b", "a"]]):
        assert protected(records, sets, 2).records.equals(alone)


def test_where_nothing_need_be_suppressed_nothing_is():
    records = pd.concat([frame(7)] * 2, ignore_index=True)
    found = protected(records, [["a", "b"], ["b", "c"]], 2)
    assert found.records.equals(records)
    assert found.changes.iloc[0]["n_suppressed"] == 0


codes = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@given(st.lists(codes, min_size=4, max_size=14), st.integers(2, 4))
@examples(40)
def test_each_set_has_k_and_cells_are_as_they_were_or_missing(rows, k):
    table = columns(rows)
    sets = [(0, 1), (1, 2)]
    found = suppression_by_sets(table, sets, BlockTarget(k))
    for own in sets:
        of_set = np.stack([found.codes[i] for i in own])
        assert np.unique(of_set, axis=1, return_counts=True)[1].min() >= min(k, 4)
    for before, after in zip(table, found.codes, strict=True):
        assert ((after == before) | (after == 0)).all()
    assert found.n_cells == n_cells(table, found.codes)
    single = [
        suppressed_columns([table[i] for i in own], BlockTarget(k)) for own in sets
    ]
    assert max(each.at_least for each in single) <= found.at_least <= found.n_cells


def test_the_bound_is_never_above_what_a_search_of_all_ways_finds():
    table = columns([(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 1, 2)])
    sets = [(0, 1), (1, 2)]
    found = suppression_by_sets(table, sets, BlockTarget(2))
    fewest = 12
    for way in range(1 << 12):
        lost = np.array([way >> i & 1 for i in range(12)], bool).reshape(3, 4)
        left = np.where(lost, 0, np.stack(table))
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
