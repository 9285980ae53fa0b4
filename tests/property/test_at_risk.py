"""The list of records at risk against definitions that look at each pair of records."""

import json
from collections import Counter
from itertools import combinations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.attacks.collective.listed import LeastAlike, ListedAnalysis
from microleak.records.chunks import TableChunks
from microleak.study_file.hierarchies import HierarchySection
from tests.examples import examples

QIDS, SENSITIVE = ("age", "sex", "place"), ("ill", "income")

people = st.fixed_dictionaries(
    {
        "age": st.sampled_from(["18", "19", "20"]),
        "sex": st.sampled_from(["a", "b", None]),
        "place": st.sampled_from(["811", "812", "823"]),
        "ill": st.sampled_from(["x", "y", None]),
        "income": st.sampled_from(["1", "2", "3"]),
    }
)


BY_TENS = HierarchySection(prefixes=[1])


def listed(rows, *limits):
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    measures = microleak.assess(
        table.select([*QIDS, *SENSITIVE]), QIDS, SENSITIVE
    ).collective
    facts = {name: [name] for name in QIDS}
    levels = dict.fromkeys(("age", "place"), BY_TENS)
    key = "key" if "key" in rows[0] else ""
    return ListedAnalysis(
        TableChunks(table),
        facts,
        SENSITIVE,
        measures,
        key,
        limits=limits,
        may_know=lambda qids: not limits or any(each.has(qids) for each in limits),
        hierarchies=levels,
    )


def alike(rows, row, facts):
    return [other for other in rows if all(other[f] == row[f] for f in facts)]


def alike_on_level(rows, row, facts, fact, level):
    others = [other for other in facts if other != fact]
    same = alike(rows, row, others)
    return [each for each in same if level == 2 or each[fact][0] == row[fact][0]]


def most_frequent(rows, name):
    counts = Counter(row[name] for row in rows)
    return min(counts, key=lambda v: (-counts[v], v is not None, v or ""))


def learnt_by(rows, row, facts):
    same = alike(rows, row, facts)
    return {
        name
        for name in SENSITIVE
        if row[name] is not None
        and len({other[name] for other in same}) == 1
        and (len(same) == 1 or row[name] != most_frequent(rows, name))
    }


def finds(rows, row, facts):
    return len(alike(rows, row, facts)) == 1 or bool(learnt_by(rows, row, facts))


def is_cured(rows, row, same):
    """Whether somebody with these others is not found out."""
    return len(same) > 1 and not any(
        row[name] is not None
        and len({other[name] for other in same}) == 1
        and row[name] != most_frequent(rows, name)
        for name in SENSITIVE
    )


def fewest(rows, row):
    sizes = range(1, len(QIDS) + 1)
    every = (facts for n in sizes for facts in combinations(QIDS, n))
    return next((len(facts) for facts in every if finds(rows, row, facts)), None)


@given(st.lists(people, min_size=2, max_size=9))
@examples(300)
def test_each_record_stands_with_the_fewest_facts_that_find_it_out(rows):
    found = listed(rows).tables(100)[0]
    assert sorted(each["row"] for each in found) == [
        i for i, row in enumerate(rows, 1) if fewest(rows, row)
    ]
    assert [each["rank"] for each in found] == [*range(1, len(found) + 1)]
    assert [e["n_facts"] for e in found] == sorted(e["n_facts"] for e in found)
    for each in found:
        row, facts = rows[each["row"] - 1], each["facts"].split("|")
        assert each["n_facts"] == len(facts) == fewest(rows, row)
        assert finds(rows, row, facts)
        assert each["n_alike"] == len(alike(rows, row, facts))
        without = {
            fact: len(alike(rows, row, [f for f in facts if f != fact]))
            for fact in facts
        }
        decisive = each["brings_most"]
        assert each["n_without_it"] == without[decisive] == max(without.values())
        assert each["its_value"] == (row[decisive] or "")
        suppressed = {
            fact: alike(rows, row, [f for f in facts if f != fact]) for fact in facts
        }
        cured = {
            f: len(same) for f, same in suppressed.items() if is_cured(rows, row, same)
        }
        assert each.get("n_suppressed") == cured.get(each.get("suppress"))
        assert bool(cured) == ("suppress" in each)
        on_level = {
            (level, QIDS.index(f)): alike_on_level(rows, row, facts, f, level)
            for f in {"age", "place"}.intersection(facts)
            for level in (1, 2)
        }
        enough = [s for _, s in sorted(on_level.items()) if is_cured(rows, row, s)]
        assert each.get("n_on_level") == (len(enough[0]) if enough else None)
        names = [*json.loads(each["learnt"])]
        assert {*names} == learnt_by(rows, row, facts)
        if names:
            rarest = names[0]
            same = [other for other in rows if other[rarest] == row[rarest]]
            others = alike(rows, row, [f for f in facts if f != decisive])
            n_alike = sum(other[rarest] == row[rarest] for other in others)
            assert each["n_people"] == len(same)
            assert each["n_others"] == len(others) - 1
            assert each["n_others_alike"] == n_alike - 1


@given(st.lists(people, min_size=2, max_size=9), st.integers(1, 4))
@examples(100)
def test_a_shorter_list_is_the_beginning_of_a_longer_one(rows, most):
    assert listed(rows).tables(most)[0] == listed(rows).tables(100)[0][:most]


@given(st.lists(people, min_size=2, max_size=9), st.integers(2, 4), st.integers(1, 3))
@examples(100)
def test_limits_say_which_sets_count_and_who_is_at_risk(rows, k, size):
    limit = LeastAlike("alike", k, lambda qids: qids.count("|") < size)
    found = listed(rows, limit).tables(100)[0]
    allowed = [s for n in range(1, size + 1) for s in combinations(QIDS, n)]
    at_risk = [
        i
        for i, row in enumerate(rows, 1)
        if any(len(alike(rows, row, s)) < k or finds(rows, row, s) for s in allowed)
    ]
    assert sorted(each["row"] for each in found) == at_risk
    for each in found:
        assert each["n_facts"] <= size
        assert (each["breaks"] == "alike") == (each["n_alike"] < k)
        assert each.get("n_suppressed", k) >= (k if each["breaks"] else 2)


@given(st.lists(people, min_size=2, max_size=9))
@examples(100)
def test_small_blocks_are_counted_and_shown_by_one_record(rows):
    found = listed(rows).tables(1)[1]
    sizes = Counter(tuple(row[q] for q in QIDS) for row in rows)
    assert Counter(each["size"] for each in found) == Counter(sizes.values())
    for each in found:
        same = alike(rows, rows[each["row"] - 1], QIDS)
        assert each["n_blocks"] == sum(n == each["size"] for n in sizes.values())
        assert each["size"] == len(same)
        n_values = {name: len({other[name] for other in same}) for name in SENSITIVE}
        assert json.loads(each["n_values"]) == n_values
