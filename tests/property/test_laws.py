"""Laws that every table obeys (golden/ERRATA.md, last section)."""

from fractions import Fraction

from hypothesis import given

from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from microleak.definitions.profile import success_distribution
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
def test_posteriors_are_those_of_the_plain_definition(table):
    qids, (*_, sensitive) = table[0], (None, *table[1], table[0][0])
    for subset, (crs, cas, _) in outcomes(qids, sensitive).items():
        rows = records(qids, subset)
        assert crs.posterior_det == naive.posterior_det_reidentification(rows)
        assert crs.posterior_prob == naive.posterior_prob_reidentification(rows)
        assert cas.posterior_det == naive.posterior_det_inference(rows, sensitive)
        assert cas.posterior_prob == naive.posterior_prob_inference(rows, sensitive)


@given(tables())
def test_probabilistic_degradation_of_reidentification_is_the_number_of_blocks(table):
    for subset, (crs, _, _) in outcomes(table[0], table[0][0]).items():
        n_blocks = len(naive.blocks(records(table[0], subset)))
        assert crs.degradation_prob == crs.n_blocks == n_blocks
        assert crs.posterior_det <= crs.posterior_prob
        assert crs.posterior_prob <= (1 + crs.posterior_det) / 2


@given(tables())
def test_inference_is_at_least_as_successful_as_reidentification(table):
    sensitive = (table[1] or table[0])[0]
    n_values = len(set(sensitive))
    for crs, cas, _ in outcomes(table[0], sensitive).values():
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
