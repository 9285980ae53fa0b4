"""What is known roughly, against every record known in every way, one after another."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import prod

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.records import rough
from tests.examples import examples

UNKNOWN = "unknown"


@st.composite
def known_tables(draw):
    """Records with an age, a race and a town; an illness; and how these are known."""
    n = draw(st.integers(1, 12))

    def column(*values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    people = pd.DataFrame(
        {
            "age": pd.array(column(25, 26, 28, None), dtype="Int64"),
            "race": pd.array(column("a", "b", None), dtype="string"),
            "town": pd.array(column("x", "y"), dtype="string"),
            "ill": pd.array(column("n", "y", None), dtype="string"),
        }
    )
    chance = st.sampled_from(["0", "1/4", "1/3"])
    confusion = {
        "a": {"a": "2/3", "b": "1/3"},
        None: {None: "1/2", "a": "1/4", "c": "1/4"},
    }
    if "a" not in {*people["race"].dropna()}:
        del confusion["a"]  # refused of a value that no record has
    ways = {
        "age": [{"within": 1}, {"within": 2, "unknown": "1/4"}, {"unknown": "1/3"}],
        "race": [{"confusion": confusion}, {"confusion": confusion, "unknown": "1/2"}],
        "town": [{"unknown": draw(chance)}],
    }
    names = draw(st.sets(st.sampled_from(["age", "race", "town"]), min_size=1))
    return people, {name: draw(st.sampled_from(ways[name])) for name in sorted(names)}


def ways_of(value, rough):
    """The chance of each value that a true one is known as."""
    if rough is None:
        return {value: Fraction(1)}
    unknown = Fraction(rough.get("unknown", 0))
    near = {value: Fraction(1)}
    if "within" in rough and value is not None:
        k = rough["within"]
        near = {value + d: Fraction(1, 2 * k + 1) for d in range(-k, k + 1)}
    if "confusion" in rough and value in rough["confusion"]:
        near = {v: Fraction(p) for v, p in rough["confusion"][value].items()}
    found = {v: p * (1 - unknown) for v, p in near.items()}
    return found | ({UNKNOWN: unknown} if unknown else {})


def known_as(record, qids, roughly):
    """Yield all that may be known of a record, with its chance."""
    each = [ways_of(v, roughly.get(q)) for v, q in zip(record, qids, strict=True)]
    for y in product(*each):
        yield y, prod(ways[known] for known, ways in zip(y, each, strict=True))


def by_definition(people, qids, roughly, sensitive):
    rows = rows_of(people)
    records = [tuple(row) for row in rows[list(qids)].itertuples(index=False)]
    values = [*rows[sensitive]] if sensitive else [*range(len(rows))]
    n = len(records)
    belief = defaultdict(dict)
    for r, record in enumerate(records):
        for y, chance in known_as(record, qids, roughly):
            if chance:
                belief[y][r] = chance / n
    certain = right = claimed = claimed_right = Fraction(0)
    for y, of_record in belief.items():
        by_value = Counter()
        for r, chance in of_record.items():
            by_value[values[r]] += chance
        right += max(by_value.values())
        certain += sum(by_value.values()) if len(by_value) == 1 else 0
        matching = [
            r
            for r, record in enumerate(records)
            if all(k in (UNKNOWN, v) for k, v in zip(y, record, strict=True))
        ]
        if matching and len({values[r] for r in matching}) == 1:
            claimed += sum(by_value.values())
            claimed_right += by_value[values[matching[0]]]
    return certain, right, claimed, claimed_right


@given(known_tables())
@examples(200, most=20)
def test_success_is_that_of_every_record_known_in_every_way(table):
    people, roughly = table
    found = microleak.rough_knowledge(
        people, ["age", "race", "town"], roughly, sensitive=["ill"], subsets="full"
    ).rough_knowledge
    for row in found.itertuples():
        qids, sensitive = row.qids.split("|"), row.sensitive or None
        sensitive = None if pd.isna(row.sensitive) else sensitive
        shares = by_definition(people, qids, roughly, sensitive)
        exact = by_definition(people, qids, {}, sensitive)
        names = ("posterior_det", "posterior_prob", "claimed", "claimed_right")
        for name, share in zip(names, shares, strict=True):
            assert getattr(row, name) == float(share), name
        assert row.posterior_det_exact == float(exact[0])
        assert row.posterior_prob_exact == float(exact[1])
        assert row.posterior_prob <= row.posterior_prob_exact
        *_, claimed, right = shares
        if claimed:
            assert row.claims_that_hold == float(right / claimed)
        else:
            assert pd.isna(row.claims_that_hold)


@given(known_tables())
@examples(50)
def test_parts_that_have_nothing_in_common_are_weighed_one_by_one(table):
    people, roughly = table
    known = {name: how for name, how in roughly.items() if name != "town"}
    known = known or {"age": {"within": 1}}
    given = {"sensitive": ["ill"], "subsets": "all"}

    def found():
        qids = ["town", "age", "race"]
        return microleak.rough_knowledge(people, qids, known, **given).rough_knowledge

    whole = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rough, "ROWS_AT_ONCE", 3)
        pd.testing.assert_frame_equal(found(), whole)


def weight(record, known, qids, roughly):
    """The chance that what is known would be known of a record."""
    return prod(
        ways_of(value, roughly.get(q)).get(known[q], Fraction(0))
        for value, q in zip(record, qids, strict=True)
    )


def rows_of(people):
    return people.astype(object).where(people.notna(), None)


def what_is_known(draw, people, qids, roughly):
    """What may be known of a record, or of none."""
    record = draw(st.sampled_from(rows_of(people)[qids].to_numpy().tolist()))
    known = {}
    for name, value in zip(qids, record, strict=True):
        ways = [v for v in ways_of(value, roughly.get(name)) if v != UNKNOWN]
        known[name] = draw(st.sampled_from(sorted(ways, key=str)))
    return known


def certain_to_be_told(roughly, qids):
    """How QIDs are known of a target: what is not known is not given."""
    return {n: r for n, r in roughly.items() if n in qids and {*r} - {"unknown"}}


@given(known_tables(), st.data())
@examples(300, most=25)
def test_a_target_known_roughly_is_weighed_against_every_record(table, data):
    people, roughly = table
    qids = ["age", "race"]
    roughly = certain_to_be_told(roughly, qids)
    known = what_is_known(data.draw, people, qids, roughly)
    found = microleak.target(people, known, ["ill"], ["town"], roughly)
    records = rows_of(people).to_dict("records")
    weights = [weight([r[q] for q in qids], known, qids, roughly) for r in records]
    whole = sum(weights)
    by_value, towns = Counter(), defaultdict(list)
    for record, each in zip(records, weights, strict=True):
        if each:
            by_value[record["ill"]] += each
            towns[record["town"]].append(each)
    first, second = found.target.itertuples()
    n_possible = sum(each > 0 for each in weights)
    assert first.block_size == second.block_size == n_possible
    if not whole:
        assert first.outcome == "no match"
        return
    assert first.posterior_prob == float(max(weights) / whole)
    assert first.posterior_det == (n_possible == 1)
    most = max(by_value.values())
    assert second.posterior_prob == float(most / whole)
    assert second.posterior_det == (len(by_value) == 1)
    likely = ["(missing)" if v is None else v for v in by_value if by_value[v] == most]
    assert second.most_likely.split("|") == sorted(likely)
    (further,) = found.further.itertuples()
    assert further.expected_success == float(sum(map(max, towns.values())) / whole)
    alone = sum(each[0] for each in towns.values() if len(each) == 1)
    assert further.certain == float(alone / whole)
    sizes = sum(len(each) * sum(each) for each in towns.values())
    assert further.expected_block_size == float(sizes / whole)


def presence_by_definition(population, sample, qids, roughly):
    """Bayes over everything that may be known, and claims at face value."""

    def records(people):
        return [tuple(row) for row in rows_of(people)[qids].itertuples(index=False)]

    of_population, of_sample = records(population), records(sample)
    belief = defaultdict(lambda: [Fraction(0), Fraction(0)])
    told = defaultdict(lambda: [Fraction(0), Fraction(0)])
    n_all, d_all = Counter(of_population), Counter(of_sample)
    for place, people in enumerate((of_population, of_sample)):
        for record in people:
            for y, chance in known_as(record, qids, roughly):
                belief[y][place] += chance
                if not place:
                    found = min(n_all[record], d_all[record])
                    told[y][0] += chance
                    told[y][1] += chance * Fraction(found, n_all[record])
    squares = certain = right = claimed = claimed_right = Fraction(0)
    for y, (n, d) in belief.items():
        found = min(n, d)
        right += max(found, n - found)
        if n:
            squares += found * found / n
            certain += found if d >= n else 0

        def like(record, y=y):
            return all(k in (UNKNOWN, v) for k, v in zip(y, record, strict=True))

        n_like = sum(map(like, of_population))
        if n_like and sum(map(like, of_sample)) >= n_like:
            claimed += told[y][0]
            claimed_right += told[y][1]
    n, d = len(of_population), len(of_sample)
    return squares / d, certain / d, right / n, claimed / n, claimed_right / n


@given(known_tables(), st.data())
@examples(100, most=12)
def test_presence_is_that_of_everybody_known_in_every_way(table, data):
    people, roughly = table
    n_sample = data.draw(st.integers(1, len(people)))
    sample = people[:n_sample]
    if data.draw(st.booleans()):  # one of whom the population says something else
        sample = sample.assign(race=["a", *sample["race"][1:]])
    qids = ["age", "race", "town"]
    found = microleak.membership(people, sample, qids, roughly=roughly, subsets="full")
    (row,) = found.rough_membership.itertuples()
    (exact,) = found.membership.itertuples()
    names = ("posterior_person", "certain", "bayes_posterior")
    names += ("claimed", "claimed_right")
    shares = presence_by_definition(people, sample, qids, roughly)
    for name, share in zip(names, shares, strict=True):
        assert getattr(row, name) == float(share), name
    assert row.posterior_person_exact == exact.posterior_person
    assert row.bayes_posterior_exact == exact.bayes_posterior
    assert row.prior == exact.prior
    assert row.bayes_prior == exact.bayes_prior
    sure = presence_by_definition(people, sample, qids, {})[1]
    assert row.certain_exact == float(sure)


@given(known_tables(), st.data())
@examples(100, most=12)
def test_who_is_asked_for_by_what_is_known_roughly_is_weighed_in_both(table, data):
    people, roughly = table
    qids = ["age", "race"]
    roughly = certain_to_be_told(roughly, qids)
    sample = people[: data.draw(st.integers(1, len(people)))]
    known = what_is_known(data.draw, people, qids, roughly)
    found = microleak.membership(
        people, sample, qids, targets={"one": known}, roughly=roughly or None
    )
    (row,) = found.member.itertuples()
    both = [
        [weight([r[q] for q in qids], known, qids, roughly) for r in each]
        for each in (rows_of(each).to_dict("records") for each in (people, sample))
    ]
    n, d = map(sum, both)
    assert (row.n, row.d) == tuple(sum(w > 0 for w in each) for each in both)
    if n:
        assert row.posterior == float(d / n)
        assert row.bayes_posterior == float(max(d, n - d) / n)
