"""Laws that every table obeys (golden/ERRATA.md, last section)."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from microleak.definitions.profile import (
    BlockProfile,
    largest_success,
    log2_of_ratio,
    success_distribution,
)
from microleak.records.profile_file import profiles_of
from tests import naive
from tests.property.tables import attribute, records, tables
from tests.walking import walked


def outcomes(qids, sensitive):
    """CRS and CAS of every subset, the empty one among them."""
    found = walked(
        [attribute(q) for q in qids], [attribute(sensitive)], range(1 << len(qids))
    )
    profiles = {subset: profiles_of(h)[0] for subset, h in found.items()}
    return {
        subset: (reidentification(p), attribute_inference(profiles[0], p), p)
        for subset, p in profiles.items()
    }


@given(tables())
def test_successes_are_those_of_the_plain_definition(table):
    qids, (*_, sensitive) = table[0], (None, *table[1], table[0][0])
    for subset, (crs, cas, _) in outcomes(qids, sensitive).items():
        rows = records(qids, subset)
        assert crs.posterior_det == naive.posterior_det_reidentification(rows)
        assert crs.posterior_prob == naive.posterior_prob_reidentification(rows)
        assert cas.posterior_det == naive.posterior_det_inference(rows, sensitive)
        assert cas.posterior_prob == naive.posterior_prob_inference(rows, sensitive)
        assert crs.degradation_prob == crs.n_blocks == len(naive.blocks(rows))
        for values, found in ((range(len(rows)), crs), (sensitive, cas)):
            success = naive.individual_success(rows, values)
            assert found.largest_success == max(success)
            assert found.n_largest == success.count(max(success))


@given(tables())
def test_inference_is_at_least_as_successful_as_reidentification(table):
    sensitive = (table[1] or table[0])[0]
    n_values = len(set(sensitive))
    for crs, cas, _ in outcomes(table[0], sensitive).values():
        assert crs.posterior_det <= crs.posterior_prob <= (1 + crs.posterior_det) / 2
        assert cas.posterior_det >= crs.posterior_det
        assert cas.posterior_prob >= crs.posterior_prob
        assert cas.prior_prob <= cas.posterior_prob <= 1
        floor = cas.posterior_det + (1 - cas.posterior_det) * Fraction(1, n_values)
        assert cas.posterior_prob >= floor


@given(tables())
def test_one_more_qid_never_lowers_a_posterior(table):
    found = outcomes(table[0], (table[1] or table[0])[0])
    for subset in found:
        for more in (subset | 1 << i for i in range(len(table[0]))):
            for fewer_known, more_known in zip(found[subset], found[more], strict=True):
                if hasattr(more_known, "posterior_det"):
                    assert fewer_known.posterior_det <= more_known.posterior_det
                    assert fewer_known.posterior_prob <= more_known.posterior_prob
                    assert fewer_known.n_blocks <= more_known.n_blocks


@given(tables(max_qids=3))
def test_a_determined_attribute_changes_nothing(table):
    qids, sensitive = table[0], (table[1] or table[0])[0]
    determined = [str(value)[:1] for value in qids[0]]
    found = outcomes([*qids, determined], sensitive)
    both = 1 << len(qids)
    for subset in range(1, both, 2):  # subsets with the first QID
        assert found[subset][:2] == found[subset | both][:2]


@given(tables())
def test_without_qids_the_posterior_is_the_prior(table):
    crs, cas, _ = outcomes(table[0], (table[1] or table[0])[0])[0]
    assert crs.posterior_prob == crs.prior_prob == Fraction(1, len(table[0][0]))
    assert cas.posterior_prob == cas.prior_prob
    assert cas.additive_leakage == 0


@given(tables())
def test_the_mean_individual_success_is_the_posterior(table):
    for _, cas, profile in outcomes(table[0], (table[1] or table[0])[0]).values():
        found = success_distribution(profile)
        total = sum(
            Fraction(int(a), int(b)) * int(n)
            for a, b, n in zip(
                found.numerator, found.denominator, found.n_records, strict=True
            )
        )
        assert total / int(found.n_records.sum()) == cas.posterior_prob
        assert int(found.n_records.sum()) == len(table[0][0])


@given(tables())
def test_min_entropies_are_logarithms_of_the_vulnerabilities(table):
    for both in outcomes(table[0], (table[1] or table[0])[0]).values():
        for each in both[:2]:
            prior, posterior = each.min_entropy, each.conditional_min_entropy
            assert 2**-prior == pytest.approx(float(each.prior_prob))
            assert 2**-posterior == pytest.approx(float(each.posterior_prob))
            assert each.min_entropy_leakage == pytest.approx(prior - posterior)
            assert each.min_entropy_leakage >= 0
            largest = each.largest_success
            assert each.posterior_det <= each.posterior_prob <= largest <= 1


@given(st.integers(1, 2**31), st.integers(0, 2**31))
def test_bits_are_right_to_the_last_digits(whole, more):
    ratio = Fraction(whole + more, whole)
    with localcontext(prec=60):
        exact = (Decimal(whole + more) / whole).ln() / Decimal(2).ln()
    assert log2_of_ratio(ratio) == pytest.approx(float(exact), rel=4e-16, abs=0)
    assert log2_of_ratio(Fraction(2**40)) == 40


@given(st.lists(st.integers(2**30, 2**39), min_size=2, max_size=4, unique=True))
def test_the_largest_of_chances_that_floats_do_not_tell_apart_is_found(sizes):
    # (s - 1)/s of such sizes differ by less than floats can.
    sizes = np.array(sizes)
    profile = BlockProfile(sizes, sizes - 1, sizes - 1, *np.ones((2, len(sizes)), int))
    largest, n_records = largest_success(profile)
    assert (largest, n_records) == (Fraction(max(sizes - 1), max(sizes)), max(sizes))
