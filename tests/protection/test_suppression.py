"""Local suppression against all suppressions, and against a plain greedy one."""

from collections import Counter
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import StudyError, TableError
from microleak.protection import fewest_cells, rows, settling
from microleak.protection.methods import DataColumn, blocks_and_sizes
from microleak.protection.protect import changes_by_attribute
from microleak.protection.rows import BlockTarget
from microleak.protection.search import ANY, Alone, lost_alone
from microleak.protection.steps import KeptRecords, protected_records
from microleak.protection.suppression import suppressed_columns
from microleak.study_file.protections import Recipe, StepSection
from tests import naive
from tests.examples import examples, long
from tests.protection.test_key import STUDY
from tests.study_file.given import loaded

SEEDS = [*range(3), *long(*range(3, 12))]


def tables(n_columns, most_records, most_code=2):
    cells = st.tuples(*[st.integers(0, most_code)] * n_columns)
    return st.lists(cells, min_size=1, max_size=most_records).map(columns)


def columns(records):
    return [np.array(cells, dtype=np.uint8) for cells in zip(*records, strict=True)]


def records(codes):
    return list(zip(*(column.tolist() for column in codes), strict=True))


def skewed(seed, most_records=300):
    """Return a random table with missing cells, some values much more frequent."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, most_records + 1))
    tops = rng.integers(2, 9, size=rng.integers(2, 6)).tolist()
    missing = rng.choice([0, 0.1])
    return [
        (np.minimum(rng.geometric(0.4, n), top) * (rng.random(n) >= missing)).astype(
            np.uint8
        )
        for top in tops
    ]


def n_cells(before, after):
    return sum(int((a != b).sum()) for a, b in zip(before, after, strict=True))


def n_known(table):
    return sum(cell > 0 for record in table for cell in record)


def n_outside(rows, sensitive, target):
    """Return how many records are in blocks that do not meet a target."""
    return sum(
        len(block)
        for block in naive.blocks(rows).values()
        if len(block) < target.k
        or any(len({*column[block].tolist()}) < target.l for column in sensitive)
    )


def fewest(codes, target, sensitive=()):
    """Return the fewest cells of all suppressions, each pattern of cells tried.

    Of fewer records than k it is all cells.
    """
    table = records(codes)
    ways = [list(product(*({cell, 0} for cell in record))) for record in table]
    lost = [
        n_known(table) - n_known(way)
        for way in product(*ways)
        if n_outside(way, sensitive, target) <= target.n_exempt
    ]
    return min(lost, default=n_known(table))


def fewest_by_blocks(codes, target, sensitive=()):
    """Return the fewest cells of all ways to share records out to blocks.

    Records of a block are alike in what they keep, so it loses the cells of each
    attribute in which they differ, and those that are in none stay as they are: as many
    as may. Every suppression is such a way, and no better one.
    """
    table = records(codes)
    n = len(table)
    ends = 1 << n
    lost = [inf] * ends
    for chosen in range(1, ends):
        block = [i for i in range(n) if chosen >> i & 1]
        of_values = [len({*column[block].tolist()}) for column in sensitive]
        if len(block) >= target.k and min(of_values, default=target.l) >= target.l:
            lost[chosen] = sum(
                sum(cell > 0 for cell in cells)
                for cells in zip(*(table[i] for i in block), strict=True)
                if len({*cells}) > 1
            )
    least = [0, *[inf] * (ends - 1)]
    for chosen in range(1, ends):
        first, own = chosen & -chosen, chosen
        while own:
            if own & first:
                least[chosen] = min(least[chosen], lost[own] + least[chosen ^ own])
            own = (own - 1) & chosen
    found = min(
        cells
        for chosen, cells in enumerate(least)
        if n - chosen.bit_count() <= target.n_exempt
    )
    return n_known(table) if found == inf else found


def plainly(codes, k):
    """Suppress attribute by attribute, that with most values first."""
    found = [column.copy() for column in codes]
    n_values = [len(np.unique(c)) for c in codes]
    for i in sorted(range(len(codes)), key=lambda i: -n_values[i]):
        ids, sizes = blocks_and_sizes(found)
        found[i][(sizes < k)[ids]] = 0
    ids, sizes = blocks_and_sizes(found)
    # Without any value is block 0, and any other one has k records.
    if sizes[0] < k:
        order = np.argsort(
            np.where(np.arange(len(sizes)) == 0, -1, sizes), kind="stable"
        )
        n_joined = int(np.searchsorted(np.cumsum(sizes[order]), k)) + 1
        for column in found:
            column[np.isin(ids, order[:n_joined])] = 0
    return found


def check(codes, target, sensitive=()):
    before = [column.copy() for column in codes]
    found = suppressed_columns(codes, target, sensitive)
    if len(codes[0]) >= target.k or target.n_exempt:
        n_out = n_outside(records(found.codes), sensitive, target)
        assert n_out <= target.n_exempt
    else:
        assert not n_known(records(found.codes))
    for old, now, own in zip(before, codes, found.codes, strict=True):
        assert (now == old).all()
        assert own.dtype == old.dtype
        assert ((own == old) | (own == 0)).all()
    assert found.n_cells == n_cells(codes, found.codes)
    assert 0 <= found.at_least <= found.n_cells
    return found


# Five records in three columns have (2^3)^5 suppressions; eight have 16.8 million, and
# 4,140 ways to be shared out to blocks.
@examples(30)
@given(tables(3, 5), st.integers(2, 4))
def test_no_suppression_of_a_small_table_takes_fewer_cells(codes, k):
    found = check(codes, BlockTarget(k))
    assert found.n_cells == found.at_least == fewest(codes, BlockTarget(k))
    assert found.n_cells == found.at_least
    assert fewest_by_blocks(codes, BlockTarget(k)) == found.n_cells


@pytest.mark.parametrize("n_tables", [10, *long(150)])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("n_records", "n_columns"), [(8, 3), (3, 8)])
def test_no_way_to_share_out_takes_fewer_cells(n_records, n_columns, k, n_tables):
    rng, target = np.random.default_rng(k), BlockTarget(k)
    for _ in range(n_tables):
        most = rng.integers(1, 5, size=n_columns)
        codes = [rng.integers(0, m + 1, n_records).astype(np.uint8) for m in most]
        found, best = check(codes, target), fewest_by_blocks(codes, target)
        assert found.n_cells == found.at_least == best


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_is_passed_over_that_could_be_settled(seed):
    codes, k = skewed(seed), 2 + seed % 4
    table, _ = rows.rows_of(codes)
    lost = lost_alone(table, k)
    everyone = Alone(np.zeros_like(lost.n_lost), np.full_like(lost.marks, ANY))
    found = settling.settled_pieces(table, k, lost).n_cells(table)
    assert found == settling.settled_pieces(table, k, everyone).n_cells(table)


def test_the_bound_counts_records_that_know_few_of_many_attributes():
    rng = np.random.default_rng(14)
    codes = [np.zeros(400, np.uint8) for _ in range(14)]
    for record in range(400):
        for i in rng.choice(14, 3, replace=False):
            codes[i][record] = rng.integers(1, 4)
    found = check(codes, BlockTarget(3))
    assert found.n_cells >= found.at_least > 0.8 * found.n_cells


def test_attributes_that_nobody_has_change_nothing():
    codes = skewed(3)
    empty = [np.zeros_like(codes[0])] * 12
    found = suppressed_columns([*empty, *codes], BlockTarget(3))
    plain = suppressed_columns(codes, BlockTarget(3))
    assert (found.n_cells, found.at_least) == (plain.n_cells, plain.at_least)
    assert records(found.codes[12:]) == records(plain.codes)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_has_k_alike_and_never_more_cells_than_plainly(seed, monkeypatch):
    codes, k = skewed(seed), 2 + seed % 4
    exact = check(codes, BlockTarget(k))
    monkeypatch.setattr(fewest_cells, "MOST_OF_EXACT", 0)
    greedy = check(codes, BlockTarget(k))
    assert greedy.at_least <= exact.n_cells <= greedy.n_cells
    assert greedy.n_cells <= n_cells(codes, plainly(codes, k))


@examples(30)
@given(tables(3, 40, 4), st.integers(2, 6))
def test_the_search_alone_keeps_its_promises(codes, k):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fewest_cells, "MOST_OPTIONS", 0)
        found = check(codes, BlockTarget(k))
        assert found.n_cells >= suppressed_columns(codes, BlockTarget(k)).at_least


@examples(20)
@given(tables(3, 20, 3), st.integers(2, 4), st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_no_row(codes, k, random):
    table = records(codes)
    order = list(range(len(table)))
    random.shuffle(order)
    one = suppressed_columns(codes, BlockTarget(k))
    other = suppressed_columns([c[order] for c in codes], BlockTarget(k))
    pairs = zip(table, records(one.codes), strict=True)
    others = zip([table[i] for i in order], records(other.codes), strict=True)
    assert Counter(pairs) == Counter(others)


@pytest.mark.long
@examples(4)
@given(tables(3, 20, 3), st.integers(2, 4))
def test_where_cells_are_packed_changes_nothing(codes, k):
    """Codes of many bits take several words, and are in the same order."""
    wide = [column.astype(np.uint32) << np.uint32(24) for column in codes]
    expected = suppressed_columns(codes, BlockTarget(k))
    found = suppressed_columns(wide, BlockTarget(k))
    assert found.n_cells == expected.n_cells
    for a, b in zip(found.codes, expected.codes, strict=True):
        assert (a >> np.uint32(24) == b).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_columns_changes_no_cell(seed):
    rng = np.random.default_rng(seed)
    codes, k = skewed(seed), 2 + seed % 4
    order = rng.permutation(len(codes))
    one = suppressed_columns(codes, BlockTarget(k))
    other = suppressed_columns([codes[i] for i in order], BlockTarget(k))
    assert one.at_least == other.at_least
    for i, column in zip(order, other.codes, strict=True):
        assert (column == one.codes[i]).all()


def test_the_order_in_which_a_step_has_attributes_changes_no_cell():
    """Here both have two records of each value, and so none comes first by them."""
    values = (None, "a", "b", "c")
    codes = np.array([[1, 1, 2, 2, 3, 3], [1, 2, 2, 3, 3, 1]], np.uint8)
    before = {n: DataColumn(values, own) for n, own in zip("xy", codes, strict=True)}
    everyone = KeptRecords(before, np.ones(6, dtype=bool))
    one, other = (
        protected_records(
            everyone, Recipe("less", 1, (StepSection(suppress=names, k=2),))
        )
        for names in (["x", "y"], ["y", "x"])
    )
    for name in "xy":
        assert (one.columns[name].codes == other.columns[name].codes).all()


def test_these_cells_are_lost_and_no_more(before, target, values, after, n):
    codes = columns([*map(int, record)] for record in before.split())
    sensitive = [np.array([*map(int, values)], np.uint8)] if values else []
    found = check(codes, BlockTarget(**target), sensitive)
    assert ["".join(map(str, row)) for row in records(found.codes)] == after.split()
    assert found.n_cells == found.at_least == n


def test_few_subsets_are_enough_for_a_solution(monkeypatch):
    monkeypatch.setattr(rows, "MOST_SUBSETS", 2)
    codes = skewed(1)
    assert len(codes) > 2
    check(codes, BlockTarget(4))


def test_a_table_without_records_stays():
    found = suppressed_columns([np.zeros(0, np.uint8)], BlockTarget(3))
    assert (len(found.codes[0]), found.n_cells, found.at_least) == (0, 0, 0)


def test_more_attributes_than_bits_are_refused():
    with pytest.raises(TableError, match="65 attributes in suppress, of which 64 are"):
        suppressed_columns([np.ones(3, np.uint8)] * 65, BlockTarget(2))


def changes(before, *steps):
    recipe = Recipe("less", 1, steps)
    everyone = KeptRecords(before, np.ones(5, dtype=bool))
    after = protected_records(everyone, recipe)
    return [*changes_by_attribute(before, after, recipe)]


def test_the_table_of_changes_says_how_many_cells_were_suppressed():
    before = {"x": DataColumn((None, "a", "b"), np.array([1, 1, 1, 2, 2], np.uint8))}
    steps = StepSection(suppress=["x"], k=3), StepSection(sample="0.8")
    first, second = changes(before, *steps)
    assert (first["attribute"], first["methods"]) == ("", "suppress|sample")
    assert first["parameters"] == "k=3|rate=0.8"
    assert (first["n_suppressed"], first["n_suppressed_at_least"]) == (5, 5)
    assert second["attribute"] == "x"
    assert "n_suppressed" not in second


@pytest.mark.parametrize("is_again", [False, True])
def test_a_study_that_samples_after_suppression_is_refused(tmp_path, is_again):
    """In the same protection, or in one of what it made."""
    steps = '{suppress: [sex], k: 3}, {sample: "0.5"}'
    second = "\n  again: {table: people, release: swapped, steps: ["
    if is_again:
        steps = steps.replace(", {sample", "]" + second + "{sample") + "]}"
    text = STUDY.replace('{swap: [sex], rate: "1"}]', steps + "]" * (not is_again))
    text = text.replace("    key: secret/people.key\n", "")
    with pytest.raises(StudyError) as error:
        loaded(tmp_path, text)
    where = "'again', step 1" if is_again else "'swapped', step 2"
    of = " of protection 'swapped'" * is_again
    assert str(error.value).endswith(
        f"protection {where}: sample may leave blocks of fewer than the k = 3 records "
        f"that step 1{of} suppresses cells for. Put suppress last, or remove one of "
        "them."
    )


def test_of_several_suppressions_no_lowest_number_is_known():
    """The cells that each had to take depend on what those before it chose."""
    before = {n: DataColumn((None, "a", "b"), np.array([1, 1, 1, 2, 2])) for n in "xy"}
    first, *_ = changes(before, *(StepSection(suppress=[n], k=3) for n in "xy"))
    assert first["n_suppressed"] == 10
    assert "n_suppressed_at_least" not in first
