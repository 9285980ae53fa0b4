"""The smallest protection against every node counted one after another."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import log2

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.attacks.smallest_protection import search
from microleak.base.errors import TableError
from microleak.records import memory
from microleak.records.hierarchy import levels_of
from microleak.study_file.hierarchies import HierarchySection
from tests import naive
from tests.examples import examples

QIDS = ["age", "town", "sex"]
LEVELS = {
    "age": {"widths": [2, 4]},
    "town": {"prefixes": [2, 1]},
    "sex": {"prefixes": [1]},
}
NAMES = [["", "width 2", "width 4"], ["", "prefix 2", "prefix 1"], ["", "prefix 1"]]
VALUES = {
    "age": ["1", "2", "3", "7", None],
    "town": ["aba", "abb", "acb", "b"],
    "sex": ["F", "M", None],
    "ill": ["y", "n", None],
}


@st.composite
def tables(draw):
    n = draw(st.integers(1, 14))
    return pd.DataFrame(
        {
            name: pd.array(
                draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)),
                dtype="string",
            )
            for name, values in VALUES.items()
        }
    )


def labels_of(people):
    found = []
    for name in QIDS:
        values = people[name].astype(object).where(people[name].notna(), None)
        distinct = [*dict.fromkeys(values)]
        hierarchy = HierarchySection(**{k: tuple(v) for k, v in LEVELS[name].items()})
        levels = levels_of(hierarchy, distinct, name)
        maps = [dict(zip(distinct, level, strict=True)) for level in levels]
        found.append([[label[value] for value in values] for label in maps])
    return found


def risks_of(keys, ill):
    blocks = defaultdict(list)
    for key, value in zip(keys, ill, strict=True):
        blocks[key].append(value)
    n = len(ill)
    counted = [Counter(block) for block in blocks.values()]
    return {
        "k": min(map(len, blocks.values())),
        "alone": Fraction(sum(len(b) == 1 for b in blocks.values()), n),
        "reidentified": Fraction(len(blocks), n),
        "certain": Fraction(sum(c.total() for c in counted if len(c) == 1), n),
        "inferred": Fraction(sum(max(c.values()) for c in counted), n),
        "l": min(map(len, counted)),
        "own_record": Fraction(sum(max(c.values()) for c in counted), n)
        - max(
            Fraction(max(Counter(ill).values()), n),
            naive.guessed_from_others(keys, ill),
        ),
    }


def holds(risks, target):
    return all(
        risks[name] >= bound if name in "kl" else risks[name] <= Fraction(bound)
        for name, bound in target.items()
    )


def entropy(values):
    n = len(values)
    return -sum(c / n * log2(c / n) for c in Counter(values).values())


def by_definition(people, target, with_any):
    """Whether each node holds, its loss, and its measures with all QIDs."""
    labels = labels_of(people)
    ill = [None if pd.isna(value) else value for value in people["ill"]]
    top = [len(each) - 1 for each in labels]
    whole = sum(entropy(each[0]) for each in labels)

    def measured(node):
        rows = zip(*(labels[q][level] for q, level in enumerate(node)), strict=True)
        return risks_of(list(rows), ill)

    found = {}
    for node in product(*(range(len(each)) for each in labels)):
        projected = [
            tuple(level if q in known else top[q] for q, level in enumerate(node))
            for known in combinations(range(len(QIDS)), with_any or len(QIDS))
        ]
        loss = sum(entropy(each[0]) for each in labels) - sum(
            entropy(each[level]) for each, level in zip(labels, node, strict=True)
        )
        is_kept = all(holds(measured(each), target) for each in projected)
        found[node] = is_kept, loss / whole if whole else 0.0, measured(node)
    return found, top


def node_of(row, top):
    levels = dict(each.rsplit(":", 1) for each in str(row.levels).split("|") if each)
    left_out = str(row.left_out).split("|")
    return tuple(
        top[q] if name in left_out else NAMES[q].index(levels.get(name, ""))
        for q, name in enumerate(QIDS)
    )


TARGETS = st.fixed_dictionaries(
    {},
    optional={
        "k": st.integers(2, 5),
        "alone": st.sampled_from(["0", "1/4", "0.5"]),
        "reidentified": st.sampled_from(["1/4", "1/2"]),
        "certain": st.sampled_from(["0.1", "1/2"]),
        "inferred": st.sampled_from(["1/2", "3/4"]),
        "l": st.integers(2, 3),
        "own_record": st.sampled_from(["0", "1/8", "0.3"]),
    },
).filter(bool)


def count_few(patch):
    for name in ("EVERY", "EVERY_OF_FEW", "ALL_TOLD"):
        patch.setattr(search, name, 0)


@given(tables(), TARGETS, st.sampled_from([None, 1, 2]), st.booleans())
@examples(100)
def test_the_answer_is_the_node_of_least_loss_and_witnesses_decide_all(
    people, target, with_any, in_rounds
):
    expected, top = by_definition(people, target, with_any)
    kept = {node: loss for node, (is_kept, loss, _) in expected.items() if is_kept}
    with pytest.MonkeyPatch.context() as patch:
        if in_rounds:
            count_few(patch)
            patch.setattr(search, "AT_FIRST", 2)
            patch.setattr(search, "FEW", 4)
        args = (people, QIDS, LEVELS, target)
        more = {"sensitive": ["ill"], "with_any": with_any}
        if not kept:
            said = r"^[^:]*: no combination of levels keeps to target\. It .* at "
            with pytest.raises(TableError, match=said):
                microleak.smallest_protection(*args, **more)
            return
        found = microleak.smallest_protection(*args, **more)
    nodes = found.smallest_protection
    nodes = nodes.fillna(dict.fromkeys(("left_out", "levels", "sensitive"), ""))
    (answer,) = nodes[nodes["is_answer"] & (nodes["sensitive"] == "")].itertuples()
    assert answer.loss == pytest.approx(min(kept.values()), abs=1e-9)
    for row in nodes.itertuples():
        node = node_of(row, top)
        is_kept, loss, risks = expected[node]
        assert row.holds == is_kept
        assert row.loss == pytest.approx(loss, abs=1e-9)
        assert row.smallest_block == risks["k"]
        assert Fraction(row.n_alone, len(people)) == risks["alone"]
        if not row.sensitive:
            assert row.posterior_prob == float(risks["reidentified"])
        else:
            assert Fraction(row.n_certain, len(people)) == risks["certain"]
            assert row.posterior_prob == float(risks["inferred"])
            assert row.least_distinct == risks["l"]
            if "own_record" in target:
                assert row.own_record == float(risks["own_record"])
            else:
                assert pd.isna(row.own_record)
    if with_any is None:
        least = min(kept.values()) if "own_record" in target or in_rounds else 1.0
        cheap = {n: e for n, e in expected.items() if e[1] <= least + 1e-9}
        check_witnesses(found.witnesses, cheap, top)
    check_cuts(found.cuts, target, expected, in_rounds=in_rounds)


def check_witnesses(witnesses, expected, top):
    """Each node is as coarse as one that holds, as fine as one that fails, or one."""
    rows = witnesses.fillna({"left_out": "", "levels": ""})
    decided = defaultdict(set)
    for row in rows.itertuples():
        decided[bool(row.holds), row.decides].add(node_of(row, top))

    def is_coarser(one, other):
        return all(a >= b for a, b in zip(one, other, strict=True))

    for node, (is_kept, *_) in expected.items():
        is_held = any(is_coarser(node, each) for each in decided[True, "coarser"])
        is_failed = any(is_coarser(each, node) for each in decided[False, "finer"])
        assert (is_held or node in decided[True, "itself"]) == is_kept
        assert (is_failed or node in decided[False, "itself"]) != is_kept


def check_cuts(cuts, target, expected, *, in_rounds):
    """Every node has one reason; none decides itself without the bound of own records.

    None is left open where all are counted.
    """
    n_by_reason = cuts.groupby("reason")["n_nodes"].sum()
    n_nodes = cuts.groupby("qids", dropna=False)["n_nodes"].sum()
    if len(n_nodes) == 1:
        assert n_nodes.tolist() == [len(expected)]
    if "own_record" not in target:
        assert not n_by_reason[["held_itself", "failed_itself"]].any()
        assert in_rounds or not n_by_reason["dearer"]


def points_of(nodes, n_records):
    """What nodes on the frontier lose, and how many of them are alone."""
    return {
        (Fraction(row.n_alone, n_records), round(row.loss, 9))
        for row in nodes[nodes["on_frontier"]].itertuples()
    }


def not_dominated(points):
    """Points that no other is as good as or better than in both."""
    return {
        (risk, loss)
        for risk, loss in points
        if not any(
            other != (risk, loss) and other[0] <= risk and other[1] <= loss
            for other in points
        )
    }


@given(tables(), st.sampled_from([None, 1, 2]), st.booleans())
@examples(60)
def test_the_frontier_has_no_node_that_another_dominates(people, with_any, is_large):
    """Whatever the adversary knows; of many nodes, too, where records are few."""
    expected, _ = by_definition(people, {"k": 1}, None)
    target = {"alone": "1/2" if len(people) > 1 else 1}
    with pytest.MonkeyPatch.context() as patch:
        if is_large:
            patch.setattr(search, "EVERY", 0)
            patch.setattr(search, "ALL_TOLD", 0)
        found = microleak.smallest_protection(
            people, QIDS, LEVELS, target, with_any=with_any
        ).smallest_protection
    points = {(e[2]["alone"], round(e[1], 9)) for e in expected.values()}
    # Sums of the same numbers in another order may differ in their last digit.
    told = dict(points_of(found, len(people)))
    assert told == pytest.approx(dict(not_dominated(points)), abs=2e-9)


@given(tables(), st.sampled_from([None, 2]))
@examples(30)
def test_the_frontier_of_a_larger_lattice_is_of_nodes_that_were_counted(
    people, with_any
):
    expected, _ = by_definition(people, {"k": 1}, None)
    with pytest.MonkeyPatch.context() as patch:
        count_few(patch)
        found = microleak.smallest_protection(
            people, QIDS, LEVELS, {"alone": 1}, with_any=with_any
        ).smallest_protection
    shown = points_of(found, len(people))
    assert shown == not_dominated(shown)
    alone = {round(e[1], 9): e[2]["alone"] for n, e in expected.items() if not any(n)}
    assert {loss: risk for risk, loss in shown if loss == 0} == alone


@given(tables(), st.sampled_from([None, 2]), st.integers(1, 3))
@examples(60)
def test_those_exposed_are_the_members_of_blocks_in_which_everybody_has_the_value(
    people, with_any, n_chunks
):
    """Of every value but the most frequent; a missing one counts as one, too."""
    people = people.assign(test=people["ill"].fillna("y") + people["town"].str[:1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "ROWS_A_CHUNK", -(-len(people) // n_chunks))
        found = microleak.smallest_protection(
            people,
            QIDS,
            LEVELS,
            {"alone": "1/2" if len(people) > 1 else 1},
            sensitive=["ill", "test"],
            with_any=with_any,
        ).exposed
    labels = labels_of(people)
    rows = found.fillna(dict.fromkeys(("left_out", "levels", "value"), ""))
    nodes = rows.groupby(["left_out", "levels"], sort=False)
    is_one = all(people[name].nunique(dropna=False) == 1 for name in ("ill", "test"))
    assert found.empty == is_one
    assert found.empty or rows.loc[0, "n_changed"] == 0
    assert found.empty or rows["is_answer"].iloc[-1]
    top = [len(each) - 1 for each in labels]
    for _, of_node in nodes:
        node = node_of(of_node.iloc[0], top)
        each = (labels[q][level] for q, level in enumerate(node))
        keys = [*zip(*each, strict=True)]
        told = {
            (row.sensitive, "" if row.is_missing else row.value): (
                row.n_members,
                row.n_certain,
            )
            for row in of_node.itertuples()
        }
        assert told == {
            (name, value): counts
            for name in ("ill", "test")
            for value, counts in members_of(keys, people[name].fillna("")).items()
        }


def members_of(keys, values):
    """How many have each value but the first most frequent, and of whom it is certain.

    The empty text stands for a missing value, which comes first.
    """
    counted = Counter(values)
    most = min(counted, key=lambda value: (-counted[value], value))
    blocks = defaultdict(list)
    for key, value in zip(keys, values, strict=True):
        blocks[key].append(value)
    certain = Counter(
        value for block in blocks.values() if len({*block}) == 1 for value in block
    )
    return {value: (n, certain[value]) for value, n in counted.items() if value != most}
