"""Distances of distributions, against their definitions and the laws they obey."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import chain, combinations
from math import inf, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.definitions.distance import kullback_leibler, total_variation

VALUES = ["a", "b", None, "c"]
distributions = st.fixed_dictionaries(
    {}, optional={value: st.integers(0, 50) for value in VALUES}
).filter(lambda counts: any(counts.values()))


def share(counts, value):
    return Fraction(counts.get(value, 0), sum(counts.values()))


@given(distributions, distributions)
def test_total_variation_is_the_largest_difference_of_any_set(one, other):
    sets = chain.from_iterable(combinations(VALUES, n) for n in range(5))
    differences = [
        sum(share(one, v) for v in each) - sum(share(other, v) for v in each)
        for each in sets
    ]
    assert total_variation(one, other) == max(differences)


@given(distributions, distributions, distributions)
def test_total_variation_is_a_distance(one, other, third):
    both = total_variation(one, other)
    assert 0 <= both <= 1
    assert both == total_variation(other, one)
    assert both <= total_variation(one, third) + total_variation(third, other)
    assert total_variation(one, {v: 3 * n for v, n in one.items()}) == 0


def divergence(one, other):
    """Sum of p lg (p / q), to sixty digits."""
    found = Decimal(0)
    with localcontext(prec=60):
        for value in VALUES:
            p, q = (
                Decimal(each.numerator) / each.denominator
                for each in (share(one, value), share(other, value))
            )
            if p:
                found += p * (p / q).ln() / Decimal(2).ln() if q else Decimal("inf")
    return found


@given(distributions, distributions)
def test_divergence_is_that_of_its_definition_and_bounds_total_variation(one, other):
    found = kullback_leibler(one, other)
    assert found == pytest.approx(float(divergence(one, other)), abs=1e-13)
    # Pinsker's inequality, of which the divergence is in nats.
    assert total_variation(one, other) <= sqrt(found * log(2) / 2) + 1e-12
    assert kullback_leibler(one, one) == 0


def test_a_value_that_the_other_lacks_is_infinitely_far():
    assert kullback_leibler({"a": 1, "b": 1}, {"a": 2}) == inf
    assert kullback_leibler({"a": 2}, {"a": 1, "b": 1}) == 1
    assert total_variation({"a": 1}, {"b": 1}) == 1


@given(distributions, distributions, st.permutations(VALUES))
def test_the_order_of_values_changes_no_bit(one, other, order):
    changed = {value: one[value] for value in order if value in one}
    assert kullback_leibler(changed, other) == kullback_leibler(one, other)
