"""Samples by design and classes recognised: chances are those of all ways."""

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.membership.definitions.designs import Kind, Stratum, presence
from microleak.attacks.membership.definitions.fingerprints import (
    Answering,
    likelihoods,
)
from tests.examples import examples

VALUES = 3
chances = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)])
classes = st.lists(st.integers(0, VALUES - 1), max_size=4)


def plain_likelihood(members, answers, said, answering):
    """Add up over what each member does: nothing, the truth, or what it misreports."""
    r, e = answering.response, answering.misreport
    whole = Fraction(0)
    for does in product((None, "true", *range(VALUES)), repeat=len(members)):
        chance, given = Fraction(1), []
        for true, act in zip(members, does, strict=True):
            if act is None:
                chance *= 1 - r
            elif act == "true":
                chance *= r * (1 - e)
                given.append(true)
            else:
                chance *= r * e * Fraction(said[act], sum(said))
                given.append(act)
        if sorted(given) == sorted(answers):
            whole += chance
    return whole


@examples(60)
@given(
    st.lists(classes, min_size=1, max_size=3),
    st.lists(st.integers(0, VALUES - 1), min_size=1, max_size=4),
    st.lists(st.integers(1, 3), min_size=VALUES, max_size=VALUES),
    st.builds(Answering, chances, chances),
)
def test_likelihoods_are_those_of_every_way_to_answer(
    several, answers, said, answering
):
    asked, each = np.unique(answers, return_counts=True)
    inside = np.array([[c.count(x) for x in asked.tolist()] for c in several])
    sizes = np.array([len(c) for c in several])
    told = np.array([*(said[x] for x in asked.tolist()), sum(said)])
    found = likelihoods(each, inside, sizes, told, answering).tolist()
    wanted = [plain_likelihood(c, answers, said, answering) for c in several]
    # Up to a common factor.
    assert [one > 0 for one in found] == [one > 0 for one in wanted]
    assert [one * sum(wanted) for one in found] == [one * sum(found) for one in wanted]


responses = st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(1, 3)])


def answered(drawn, chance):
    """Yield each set of those who answer, with its chance."""
    for answers in product((True, False), repeat=len(drawn)):
        of_all = Fraction(1)
        for answer in answers:
            of_all *= chance if answer else 1 - chance
        yield frozenset(p for p, a in zip(drawn, answers, strict=True) if a), of_all


def samples_of(stratum, persons, clusters):
    """Yield each sample of a stratum with its chance, up to a factor."""
    if stratum.is_clustered:
        for drawn in combinations(clusters, stratum.n_drawn):
            yield from answered([*chain(*drawn)], stratum.chance)
    elif stratum.n:
        for drawn in combinations(persons, stratum.n_drawn):
            yield from answered(drawn, stratum.chance)
    else:
        yield from answered(persons, stratum.chance)


def plain(designed, alike, d):
    """Return the chance of each person alike by adding up all samples; None if none."""
    whole, found = Fraction(0), Counter()
    for each in product(*(samples_of(*stratum) for stratum in designed)):
        sample = frozenset().union(*(people for people, _ in each)) & alike
        if len(sample) == d:
            chance = Fraction(1)
            for _, of_one in each:
                chance *= of_one
            whole += chance
            found.update(dict.fromkeys(sample, chance))
    return {p: found[p] / whole for p in alike} if whole else None


@st.composite
def designs(draw):
    """Strata of at most eight persons, clustered or not, and who of them is alike."""
    stages = draw(st.sampled_from(["persons", "poisson", "clusters"]))
    designed, alike, n = [], set(), 0
    for _ in range(draw(st.integers(1, 2))):
        sizes = draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
        clusters, persons = [], []
        for size in sizes:
            clusters.append(tuple(range(n, n + size)))
            persons += clusters[-1]
            n += size
        is_alike = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        mine = {p for p in persons if is_alike[p]}
        alike |= mine
        inside = [len(mine.intersection(cluster)) for cluster in clusters]
        counted = Counter(k for k in inside if k) if stages == "clusters" else {}
        kinds = tuple(Kind(k, units) for k, units in sorted(counted.items()))
        n_units = {"persons": len(persons), "poisson": 0, "clusters": len(sizes)}
        stratum = Stratum(
            n_units[stages],
            draw(st.integers(1, n_units[stages])) if n_units[stages] else 0,
            draw(responses),
            stages == "clusters",
            kinds if stages == "clusters" else (Kind(len(mine)),),
        )
        designed.append((stratum, persons, clusters))
    return designed, frozenset(alike)


@examples(60)
@given(designs(), st.integers(0, 12))
def test_chances_are_those_of_all_samples_of_the_design(design, d):
    designed, alike = design
    kept = [each for each in designed if alike.intersection(each[1])]
    d = min(d, len(alike))
    expected = plain(kept, alike, d)
    if not alike or expected is None:
        return
    found = presence(tuple(stratum for stratum, _, _ in kept), d)
    for (stratum, persons, clusters), of_kinds in zip(kept, found, strict=True):
        units = clusters if stratum.is_clustered else [persons]
        chance_of = {
            kind.n_alike: chance
            for kind, chance in zip(stratum.kinds, of_kinds, strict=True)
        }
        for unit in units:
            mine = alike.intersection(unit)
            assert {expected[p] for p in mine} <= {chance_of.get(len(mine))}


strata = st.builds(
    lambda n_alike, more, drawn, chance: Stratum(
        n_alike + more, min(drawn, n_alike + more), chance, False, (Kind(n_alike),)
    ),
    st.integers(1, 6),
    st.integers(0, 6),
    st.integers(1, 12),
    responses,
)


@given(st.lists(strata, min_size=1, max_size=3), st.data())
def test_the_chances_of_all_who_are_alike_add_up_to_how_many_are_seen(several, data):
    n = sum(kind.n_persons for stratum in several for kind in stratum.kinds)
    d = data.draw(st.integers(0, n))
    found = presence(tuple(several), d)
    total = sum(
        chance * kind.n_persons
        for stratum, chances in zip(several, found, strict=True)
        for kind, chance in zip(stratum.kinds, chances, strict=True)
    )
    lowest = sum(
        max(0, s.n_drawn - (s.n - s.kinds[0].n_alike)) if s.chance == 1 else 0
        for s in several
    )
    highest = sum(min(s.n_drawn, s.kinds[0].n_alike) for s in several)
    assert total == min(max(d, lowest), highest)


@given(st.integers(1, 6), st.integers(1, 6))
def test_everybody_is_there_where_all_are_drawn_and_answer(n_alike, n_units):
    kinds = (Kind(n_alike, n_units), Kind(n_alike + 1))
    whole = Stratum(n_units + 1, n_units + 1, Fraction(1), True, kinds)
    one = Stratum(n_alike, n_alike, Fraction(1), False, (Kind(n_alike),))
    d = n_alike + sum(kind.n_persons for kind in kinds)
    assert presence((whole, one), d) == ((1, 1), (1,))
    assert presence((whole, one), 1) == ((1, 1), (1,))


def of_own_cell(people, sample, n_drawn):
    """The chance of each person by the records of the sample alike with it alone."""
    found = {}
    for value in {v for _, v in people}:
        alike = Counter(stratum for stratum, v in people if v == value)
        sizes = Counter(stratum for stratum, _ in people)
        strata = tuple(
            Stratum(sizes[s], n_drawn[s], Fraction(1), False, (Kind(n),))
            for s, n in alike.items()
        )
        d = sum(people[i][1] == value for i in sample)
        chances = dict(zip(alike, presence(strata, d), strict=True))
        for i, (stratum, v) in enumerate(people):
            if v == value:
                (found[i],) = chances[stratum]
    return [found[i] for i in range(len(people))]


@examples(30)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=7),
    st.data(),
)
def test_all_records_tell_at_least_what_those_alike_do(people, data):
    """Who is certain stays so; the mean over all samples is no lower."""
    strata = [[i for i, (s, _) in enumerate(people) if s == h] for h in (0, 1)]
    n_drawn = [data.draw(st.integers(min(1, len(each)), len(each))) for each in strata]
    drawn = [combinations(each, n) for each, n in zip(strata, n_drawn, strict=True)]
    samples = [tuple(chain(*each)) for each in product(*drawn)]
    told = [tuple(sorted(people[i][1] for i in sample)) for sample in samples]
    own_mean = whole_mean = Fraction(0)
    for sample, seen in zip(samples, told, strict=True):
        alike = [each for each, t in zip(samples, told, strict=True) if t == seen]
        whole = [
            Fraction(sum(i in each for each in alike), len(alike))
            for i in range(len(people))
        ]
        own = of_own_cell(people, sample, n_drawn)
        assert all(w == 1 for o, w in zip(own, whole, strict=True) if o == 1)
        own_mean += sum(p * p for p in own)
        whole_mean += sum(p * p for p in whole)
    assert own_mean <= whole_mean
