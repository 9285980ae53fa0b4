"""What a failed finer node gives away, against all assignments one after another."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations, product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.attacks.smallest_protection.definitions.assignments import (
    AnswerBlock,
    Bounds,
    StepBudget,
    TooMuchError,
    counted,
)
from microleak.attacks.smallest_protection.definitions.minimality import (
    before,
    given_away,
)
from microleak.base.errors import TableError
from tests.examples import examples

WONG = pd.DataFrame({"q": [*"1122222"], "s": ["HIV", "HIV", *"abcde"]})
"""The example of docs/decisions/0020-protect.md."""

BOUNDS = st.sampled_from(
    [
        Bounds(2),
        Bounds(3),
        *(Bounds(least, certain=n) for least in (1, 2) for n in (0, 2, 3)),
        *(Bounds(1, right=n) for n in (3, 4, 5)),
        Bounds(2, certain=2, right=5),
    ]
)


@st.composite
def divided(draw):
    """Values of up to eight records by block of the answer and by part of it."""
    n = draw(st.integers(4, 8))
    n_blocks, n_parts = draw(st.sampled_from([(1, 2), (2, 2), (1, 3), (3, 3)]))
    records = st.tuples(
        st.integers(1, n_blocks), st.integers(1, n_parts), st.sampled_from("abc")
    )
    rows = draw(st.lists(records, min_size=n, max_size=n))
    blocks = defaultdict(lambda: defaultdict(list))
    for block, part, value in rows:
        blocks[block][part].append(value)
    return [[*parts.values()] for parts in blocks.values()]


def keeps(parts, bounds):
    counts = [Counter(part) for part in parts]
    n_certain = sum(c.total() for c in counts if len(c) == 1)
    n_right = sum(max(c.values()) for c in counts)
    return (
        min(map(len, counts)) >= bounds.distinct
        and (bounds.certain is None or n_certain <= bounds.certain)
        and (bounds.right is None or n_right <= bounds.right)
    )


def assignments_of(parts):
    """Every way of giving the values of a block to its records, once."""
    values = [value for part in parts for value in part]
    for order in sorted(set(permutations(values))):
        left = iter(order)
        yield [[next(left) for _ in part] for part in parts]


def by_definition(blocks, bounds):
    """Chance of failure, and each record's chances before and after it, and if not."""
    told = {True: [], False: []}
    for world in product(*(assignments_of(parts) for parts in blocks)):
        parts = [part for block in world for part in block]
        told[keeps(parts, bounds)].append([v for part in parts for v in part])

    def chances(worlds):
        return [
            {v: Fraction(c, len(worlds)) for v, c in Counter(own).items()}
            for own in zip(*worlds, strict=True)
        ]

    every = chances(told[True] + told[False])
    failure = Fraction(len(told[False]), len(told[True]) + len(told[False]))
    return failure, every, chances(told[False]), chances(told[True])


def kinds_of(blocks):
    def sizes(counts):
        return tuple(sorted(counts, reverse=True))

    return Counter(
        AnswerBlock(
            sizes(map(len, parts)),
            sizes(Counter(v for part in parts for v in part).values()),
        )
        for parts in blocks
    )


def test_the_example_of_the_decision_is_certain():
    """Both records with q = 1 have HIV, and nobody else."""
    found = given_away({AnswerBlock((5, 2), (2, 1, 1, 1, 1, 1)): 1}, Bounds(2))
    assert (found.failure, found.n_certain, found.n_moved) == (Fraction(1, 21), 2, 7)
    assert found.right == Fraction(2 * 1 + 5 * Fraction(1, 5), 7)


@given(divided(), BOUNDS)
@examples(300)
def test_all_assignments_counted_one_after_another_give_the_same(blocks, bounds):
    failure, every, after, _ = by_definition(blocks, bounds)
    found = given_away(kinds_of(blocks), bounds)
    n = len(every)
    assert found.failure == failure
    if not failure:
        return
    assert found.n_certain == sum(max(own.values()) == 1 for own in after)
    assert found.right == sum(max(own.values()) for own in after) / n
    moved = [
        max(abs(own.get(v, 0) - p) for v, p in first.items())
        for own, first in zip(after, every, strict=True)
    ]
    assert found.n_moved == sum(each >= Fraction(1, 20) for each in moved)
    assert before(kinds_of(blocks)).n_certain == sum(len(own) == 1 for own in every)


@given(divided(), BOUNDS)
@examples(200)
def test_over_failing_and_not_the_beliefs_give_back_those_before(blocks, bounds):
    """P(F) P(v | F) + P(not F) P(v | not F) = P(v), of each record and value."""
    for parts in blocks:
        (kind,) = kinds_of([parts])
        counts = Counter(value for part in parts for value in part)
        told = counted(kind, bounds, StepBudget(10_000))
        failure, every, failed, held = by_definition([parts], bounds)
        kept = sum(told.holds.values())
        assert Fraction(kept, told.n_ways) == 1 - failure
        place = 0
        for size in map(len, parts):
            for value, count in counts.items():
                n_of_value, ways = told.of_value[size, count]
                of_held = Fraction(sum(ways.values()), told.n_ways)
                of_failed = failed[place].get(value, 0) * failure if failed else 0
                assert Fraction(n_of_value, told.n_ways) == every[place][value]
                assert of_held + of_failed == every[place][value]
                if held:
                    assert of_held == held[place].get(value, 0) * (1 - failure)
            place += size


def test_a_node_that_nearly_never_holds_tells_nothing():
    """Also where some blocks cannot be counted: the others prove it."""
    large = AnswerBlock((3000, 3000), (4000, 2000))
    kinds = {AnswerBlock((2, 2), (2, 2)): 200, large: 1}
    assert given_away(kinds, Bounds(2)) == before(kinds)
    assert before(kinds).failure == 1


def test_what_cannot_be_counted_is_left_out():
    few = {AnswerBlock((2, 2), (2, 2)): 2, AnswerBlock((3000, 3000), (4000, 2000)): 1}
    with pytest.raises(TooMuchError):
        given_away(few, Bounds(2))
    with pytest.raises(TooMuchError):
        counted(AnswerBlock((20, 20, 20), (30, 20, 10)), Bounds(3), StepBudget(100))


def found(people, target, sensitive=("s",), levels=None, **more):
    levels = levels or {"q": {}}
    return microleak.smallest_protection(
        people, [*levels], levels, target, sensitive=[*sensitive], **more
    ).minimality


def test_the_frame_tells_what_the_choice_gives_away():
    (row,) = found(WONG, {"l": 2}).to_dict("records")
    assert (row["left_out"], row["levels"], row["sensitive"]) == ("", "", "s")
    assert row["failure_prob"] == pytest.approx(1 / 21)
    assert (row["n_certain"], row["n_certain_after"], row["n_moved"]) == (0, 2, 7)
    assert row["posterior_prob"] == pytest.approx(2 / 7)
    assert row["posterior_prob_after"] == pytest.approx(3 / 7)


LEVELS = {"q": {"widths": [2]}, "r": {}}


def labels(people, row):
    levels = dict(each.rsplit(":", 1) for each in row["levels"].split("|") if each)
    left_out = row["left_out"].split("|")
    of_q = people["q"] // 2 if levels.get("q") else people["q"]
    told = [of_q if "q" not in left_out else of_q * 0]
    told += [people["r"]] if "r" not in left_out else []
    return [*zip(*told, strict=True)]


def divided_by(people, coarser, finer):
    blocks = defaultdict(lambda: defaultdict(list))
    for block, part, value in zip(coarser, finer, people["s"], strict=True):
        blocks[block][part].append(value)
    return [[*parts.values()] for parts in blocks.values()]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from("xy"), st.sampled_from("abc")),
        min_size=4,
        max_size=8,
    ),
    st.sampled_from(
        [
            ({"l": 2}, Bounds(2)),
            ({"certain": "1/4"}, "certain"),
            ({"inferred": "3/4"}, "right"),
        ]
    ),
)
@examples(100)
def test_a_frame_is_divided_as_its_nodes_say(rows, wanted):
    people = pd.DataFrame(rows, columns=["q", "r", "s"])
    target, bounds = wanted
    if isinstance(bounds, str):
        (share,) = target.values()
        bounds = Bounds(**{bounds: int(Fraction(share) * len(people))})
    try:
        told = microleak.smallest_protection(
            people, ["q", "r"], LEVELS, target, sensitive=["s"]
        )
    except TableError:
        return
    nodes = told.smallest_protection
    answer = nodes[nodes["is_answer"]].iloc[0]
    for row in told.minimality.to_dict("records"):
        blocks = divided_by(people, labels(people, answer), labels(people, row))
        failure, every, after, _ = by_definition(blocks, bounds)
        assert 0 < failure == pytest.approx(row["failure_prob"])
        n_certain = [sum(max(p.values()) == 1 for p in each) for each in (every, after)]
        assert [row["n_certain"], row["n_certain_after"]] == n_certain
        n = len(every)
        right = [sum(max(p.values()) for p in each) / n for each in (every, after)]
        found = row["posterior_prob"], row["posterior_prob_after"]
        assert found == pytest.approx([*map(float, right)])


def test_chunks_of_records_give_the_same(monkeypatch):
    people = pd.concat([WONG.assign(r=r) for r in "xy"])
    levels = {"q": {}, "r": {}}
    whole = found(people, {"l": 2}, levels=levels)
    monkeypatch.setattr("microleak.records.memory.ROWS_A_CHUNK", 3)
    monkeypatch.setattr("microleak.records.chunks.LEAST_ROWS", 3)
    assert len(whole) and whole.equals(found(people, {"l": 2}, levels=levels))


def test_what_fails_by_the_qids_alone_is_not_told():
    assert found(WONG, {"k": 3, "l": 2}).empty
    assert found(WONG, {"l": 3}).empty
    assert found(WONG, {"k": 3}, sensitive=()).empty


def test_what_is_not_measured_says_why(target, more, reason):
    rows = found(WONG.assign(r="x"), target, **more)
    assert set(rows["not_measured"]) == {reason} and not rows["is_measured"].any()
    assert rows["failure_prob"].isna().all()


def test_of_two_attributes_that_which_alone_may_fail_is_told():
    rows = found(WONG.assign(t=range(7)), {"l": 2}, sensitive=["s", "t"])
    assert rows["not_measured"].tolist() == ["", "attributes"]
    assert rows["n_certain_after"].iloc[0] == 2
