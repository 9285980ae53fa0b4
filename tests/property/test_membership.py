"""Membership: sums over blocks are those over persons, one by one."""

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.anonymity.definitions.k_map import (
    delta_presence,
    delta_presence_lower,
    k_map,
)
from microleak.attacks.anonymity.definitions.k_map import n_below_k_map as n_below
from microleak.attacks.membership.definitions.membership import (
    collective_membership,
    membership,
    posterior,
    presence_in_population,
    presence_in_sample,
)
from tests.overlaps import overlap_of
from tests.property.tables import values

rows = st.tuples(values, values)
"""Two QIDs; None is a missing value."""


@st.composite
def parts(draw):
    population = draw(st.lists(rows, min_size=1, max_size=30))
    places = st.integers(0, len(population) - 1)
    chosen = draw(st.sets(places, min_size=1))
    return population, [population[i] for i in sorted(chosen)]


any_tables = st.tuples(
    st.lists(rows, min_size=1, max_size=20), st.lists(rows, min_size=1, max_size=20)
)
"""Two tables, of which the second need not be part of the first."""


def spread(distribution):
    three = distribution.numerator, distribution.denominator, distribution.n_records
    kinds = list(zip(*(array.tolist() for array in three), strict=True))
    return {Fraction(num, den): n for num, den, n in kinds}, kinds


@given(parts() | any_tables)
def test_counts_are_those_of_the_records_one_by_one(tables):
    population, sample = tables
    found = collective_membership(overlap_of(population, sample))
    n, d = Counter(population), Counter(sample)
    assert (found.n_population, found.n_sample) == (len(population), len(sample))
    assert (found.n_blocks_population, found.n_blocks_sample) == (len(n), len(d))
    alone = [row for row in sample if d[row] == 1]
    assert found.n_sample_unique == len(alone)
    assert found.n_found == sum(row in population for row in alone)
    assert found.n_unique_both == sum(n[row] == 1 for row in alone)
    assert found.n_not_found == sum(row not in population for row in sample)
    assert found.n_blocks_in_excess == sum(d[row] > n[row] for row in d)


@given(parts() | any_tables)
def test_expected_degradations_are_means_over_attacks_on_one_target(tables):
    population, sample = tables
    found = collective_membership(overlap_of(population, sample))
    n, d = Counter(population), Counter(sample)

    def attack(row):
        return membership(n[row], d[row], len(population), len(sample))

    blocks = [attack(row) for row in d if n[row]]
    # Of more persons than the population has of a kind, as many as it has.
    people = [attack(row) for row in (Counter(sample) & n).elements()]
    weight = Fraction(1, len(sample))
    assert found.degradation_printed == weight * sum(
        block.degradation_printed for block in blocks
    )
    assert found.degradation_partition == weight * sum(
        block.degradation for block in blocks
    )
    assert found.degradation_person == weight * sum(one.degradation for one in people)
    assert found.posterior_person == weight * sum(one.posterior for one in people)
    right = sum(attack(row).bayes_posterior for row in population)
    assert found.bayes_posterior == Fraction(right, len(population))


@given(parts() | any_tables)
def test_chances_are_distributed_as_those_of_the_persons_one_by_one(tables):
    population, sample = tables
    both = overlap_of(population, sample)
    n, d = Counter(population), Counter(sample)
    held = (Counter(sample) & n).elements()
    chances = [posterior(n[row], d[row]) for row in held]
    chances += [Fraction(0)] * (len(sample) - len(chances))
    found, kinds = spread(presence_in_sample(both))
    assert found == Counter(chances)
    assert len(kinds) == len(found)
    assert list(found) == sorted(found)
    found, kinds = spread(presence_in_population(both))
    assert found == Counter(posterior(n[row], d[row]) for row in population)
    assert len(kinds) == len(found)


@given(parts())
def test_a_sampled_person_is_on_average_likelier_in_the_sample_than_by_chance(tables):
    found = collective_membership(overlap_of(*tables))
    assert found.degradation_person >= 1
    assert found.additive_leakage_person >= 0


@given(parts())
def test_one_more_qid_never_lowers_what_is_known_of_presence(tables):
    finer = collective_membership(overlap_of(*tables))
    one_qid = ([row[:1] for row in table] for table in tables)
    coarser = collective_membership(overlap_of(*one_qid))
    assert finer.posterior_person >= coarser.posterior_person
    assert finer.bayes_posterior >= coarser.bayes_posterior >= coarser.bayes_prior


@given(parts() | any_tables, st.integers(0, 6))
def test_k_map_and_delta_are_extremes_over_the_records(tables, k):
    population, sample = tables
    both = overlap_of(population, sample)
    n, d = Counter(population), Counter(sample)
    assert k_map(both) == min(n[row] for row in sample)
    assert n_below(both, k) == sum(n[row] < k for row in sample)
    chances = [posterior(n[row], d[row]) for row in population]
    assert delta_presence(both) == max(chances)
    assert delta_presence_lower(both) == min(chances)
    assert 0 <= delta_presence_lower(both) <= delta_presence(both) <= 1
