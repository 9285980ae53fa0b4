"""Local suppression for shares alone, for several values, and for shares certain."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import microleak
from microleak.attacks.known_protection.definitions import values_left
from microleak.base.errors import MicroleakError
from microleak.protection import fewest_cells, mixing
from microleak.protection.rows import BlockTarget, rows_of
from microleak.protection.search import alone_with_values
from microleak.protection.suppression import suppressed_columns
from tests.examples import examples, long, seeds
from tests.protection.test_frames import PEOPLE
from tests.protection.test_suppression import columns, records, skewed

TARGETS = [
    *(BlockTarget(2, n_exempt=n) for n in (1, 2, 4)),
    BlockTarget(l=2),
    BlockTarget(l=3),
    *(BlockTarget(l=2, n_exempt=n) for n in (1, 2, 4)),
]


def values_of(target, *sensitive):
    """Return the sensitive columns that a target is of; one for certain."""
    return sensitive[: (target.l > 1) + (target.l > 1 and not target.n_exempt)]


def n_outside(rows, sensitive, target):
    """Return how many records are in blocks that do not meet a target."""
    blocks = {}
    for record, row in enumerate(rows):
        blocks.setdefault(row, []).append(record)
    return sum(
        len(block)
        for block in blocks.values()
        if len(block) < target.k
        or any(len({*column[block].tolist()}) < target.l for column in sensitive)
    )


def check(codes, target, sensitive=()):
    """Check what holds of every suppression, and return it."""
    before = [column.copy() for column in codes]
    found = suppressed_columns(codes, target, sensitive)
    assert n_outside(records(found.codes), sensitive, target) <= target.n_exempt
    for old, now, own in zip(before, codes, found.codes, strict=True):
        assert (now == old).all()
        assert own.dtype == old.dtype
        assert ((own == old) | (own == 0)).all()
    assert found.n_cells == sum(
        int((a != b).sum()) for a, b in zip(codes, found.codes, strict=True)
    )
    assert 0 <= found.at_least <= found.n_cells
    return found


def reachable(codes, target, sensitive):
    return len(codes[0]) >= target.k and all(
        len({*column.tolist()}) >= target.l for column in sensitive
    )


def fewest(codes, target, sensitive):
    """Return the fewest cells of all suppressions, each pattern of cells tried."""
    table = records(codes)
    ways = [list(product(*({cell, 0} for cell in record))) for record in table]
    known = sum(cell > 0 for record in table for cell in record)
    return min(
        known - sum(cell > 0 for record in way for cell in record)
        for way in product(*ways)
        if n_outside(way, sensitive, target) <= target.n_exempt
    )


def fewest_by_blocks(codes, target, sensitive):
    """Return the fewest cells of all ways to share records out to blocks.

    Records of a block lose the cells of each attribute in which they differ, and those
    that are in none stay as they are: as many as may.
    """
    table = records(codes)
    n = len(table)
    ends = 1 << n
    lost = [float("inf")] * ends
    for chosen in range(1, ends):
        block = [i for i in range(n) if chosen >> i & 1]
        of_values = [len({*column[block].tolist()}) for column in sensitive]
        if len(block) >= target.k and min(of_values, default=target.l) >= target.l:
            lost[chosen] = sum(
                sum(cell > 0 for cell in cells)
                for cells in zip(*(table[i] for i in block), strict=True)
                if len({*cells}) > 1
            )
    least = [0, *[float("inf")] * (ends - 1)]
    for chosen in range(1, ends):
        first, own = chosen & -chosen, chosen
        while own:
            if own & first:
                least[chosen] = min(least[chosen], lost[own] + least[chosen ^ own])
            own = (own - 1) & chosen
    return min(
        cells
        for chosen, cells in enumerate(least)
        if n - chosen.bit_count() <= target.n_exempt
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
                assert found.is_exact
                assert found.n_cells == oracle(codes, target, sensitive)


cells = st.tuples(*[st.integers(0, 2)] * 3, st.integers(0, 2), st.integers(0, 2))


@examples(40)
@given(st.lists(cells, min_size=2, max_size=7), st.sampled_from(TARGETS))
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

    def n_lost(row):
        """Return the fewest cells without which the guests of a row have two values."""
        sets = product(*({bool(cell), False} for cell in row))
        return min(
            sum(cell > 0 for cell in row) - sum(kept)
            for kept in sets
            if len(
                {
                    value
                    for other, value in pairs
                    if all(other[i] == row[i] for i in range(len(row)) if kept[i])
                }
            )
            > 1
        )

    naive = [n_lost(row) for row, _ in {*pairs}]
    assert Counter(lost.n_lost.tolist()) == Counter(naive)
    assert mixing.mixed_pieces(table, 2, lost).n_cells(table) >= int(
        (lost.n_lost * table.counts).sum()
    )


def test_those_who_would_lose_most_stay_as_they_are():
    rows = [(1, 1, 1), (1, 1, 2), (2, 3, 3), (4, 4, 4), (4, 4, 4)]
    found = check(columns(rows), BlockTarget(2, n_exempt=1))
    assert records(found.codes) == [(1, 1, 0), (1, 1, 0), *rows[2:]]
    assert found.n_cells == found.at_least == 2


def test_of_a_share_that_nobody_exceeds_no_cell_is_lost():
    codes = skewed(2)
    n_alone = n_outside(records(codes), (), BlockTarget(2))
    found = check(codes, BlockTarget(2, n_exempt=n_alone))
    assert found.n_cells == found.at_least == 0


def test_a_missing_sensitive_value_is_a_value():
    codes = columns([(1,), (1,), (2,), (2,)])
    found = check(codes, BlockTarget(l=2), columns([(0,), (1,), (0,), (3,)]))
    assert found.n_cells == 0


def test_one_record_of_another_block_brings_the_value_that_many_lack():
    rows = [(1, 1)] * 9 + [(1, 2)] * 4
    values = np.array([5] * 9 + [5, 5, 6, 6], np.uint8)
    found = check(columns(rows), BlockTarget(l=2), [values])
    assert found.n_cells == found.at_least == 10
    assert records(found.codes)[9:] == [(1, 2), (1, 2), (1, 0), (1, 2)]


def test_what_is_wrong_with_a_target_is_said_in_one_sentence(step, words):
    frame = PEOPLE.to_pandas().assign(one="x")
    with pytest.raises(MicroleakError) as error:
        microleak.protect(frame, [{"suppress": ["age"], **step}])
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_the_only_record_stays_alone_whatever_it_loses():
    with pytest.raises(MicroleakError, match="there is one record, so that alone = 1"):
        microleak.protect(PEOPLE[:1], [{"suppress": ["age"], "alone": "0.5"}])


ALONE = {"suppress": ["age"], "alone": "0.3"}
DIVERSE = {"suppress": ["age"], "l": 2, "of": ["ill"]}
CERTAIN = {"suppress": ["age"], "certain": "0.3", "of": ["ill"]}


@pytest.mark.parametrize(
    ("first", "step", "words"),
    [
        (ALONE, {"sample": "1/2"}, "more records alone than the share alone = 0.3"),
        (ALONE, {**ALONE, "alone": "0.4"}, "more records alone than the share"),
        (DIVERSE, {"sample": "1/2"}, "blocks of fewer than the l = 2 values of ill"),
        (DIVERSE, {"generalise": {"ill": 1}}, "fewer than the l = 2 values of ill"),
        (DIVERSE, {"swap": ["age"], "rate": "1"}, "fewer than the l = 2 values"),
        (DIVERSE, {"swap": ["ill"], "rate": "1"}, "fewer than the l = 2 values"),
        (DIVERSE, {"suppress": ["age"], "k": 2}, "fewer than the l = 2 values of ill"),
        (DIVERSE, {"suppress": ["ill"], "k": 2}, "fewer than the l = 2 values of ill"),
        (
            CERTAIN,
            {"randomise": {"ill": {"keep": "0.9"}}},
            "more records in blocks of one value of ill than the share certain = 0.3",
        ),
    ],
)
def test_what_may_break_a_target_afterwards_is_refused(first, step, words):
    with pytest.raises(
        MicroleakError,
        match=f"^protect, step 2: .* may leave {words}|"
        f"^protect, step 2: .* may leave .*{words}",
    ):
        microleak.protect(PEOPLE, [first, step], hierarchies={"ill": {}, "age": {}})


@pytest.mark.parametrize(
    ("first", "step"),
    [
        (ALONE, {"suppress": ["age"], "k": 2}),
        (ALONE, {**ALONE, "alone": "0.1"}),
        (ALONE, {"randomise": {"ill": {"keep": "0.9"}}}),
        (DIVERSE, {"generalise": {"age": 1}}),
        (DIVERSE, {"swap": ["age", "ill"], "rate": "1"}),
        (DIVERSE, {"drop": ["ill"]}),
        (CERTAIN, DIVERSE),
    ],
)
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
    assume(found.is_exact)
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


@pytest.mark.parametrize("value", [7, 0])
def test_where_all_may_be_exempt_no_cell_is_lost(value):
    codes = columns([(2, 0, 1), (4, 0, 1), (1, 1, 1)])
    found = check(codes, BlockTarget(l=2, n_exempt=3), columns([(value,)] * 3))
    assert found.n_cells == found.at_least == 0


def test_the_only_record_may_stay_alone():
    found = check(columns([(1, 2)]), BlockTarget(2, n_exempt=1))
    assert found.n_cells == found.at_least == 0


@pytest.mark.parametrize(
    ("people", "step"),
    [
        (PEOPLE[:1], {"suppress": ["age"], "alone": "1"}),
        (PEOPLE, {"suppress": ["age"], "certain": "1", "of": ["one"]}),
        (PEOPLE, {"suppress": ["age"], "certain": "1", "of": ["none"]}),
    ],
)
def test_a_share_of_all_records_changes_nothing(people, step):
    frame = people.to_pandas().assign(one="x", none=None)
    found = microleak.protect(frame, [step])
    assert found.records["age"].isna().tolist() == frame["age"].isna().tolist()
    row = found.changes.iloc[0]
    assert (row["n_suppressed"], row["n_suppressed_at_least"]) == (0, 0)
