"""Laws of noisy counts, and the definitions against brute force over databases."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from microleak.attacks.composition.definitions import (
    largest_posterior,
    posterior_of_counts,
)
from microleak.attacks.mechanism.definitions import absolute_error
from microleak.attacks.mechanism.definitions.absolute_error import (
    local_error,
    oblivious_error,
)
from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.channels import (
    randomised_response,
    truncated_geometric,
)
from microleak.attacks.mechanism.definitions.dependence import count_leakage, dependence
from microleak.attacks.mechanism.definitions.local_mechanism import (
    bounded_local,
    exact_local,
    of_reports,
    reports,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import (
    bounds,
    oblivious,
)
from tests import naive_channels as channels
from tests import naive_mechanisms
from tests import naive_mechanisms as naive
from tests.examples import examples

DOMAIN = [0, 1, 2, None]
ALPHAS = [Fraction(x) for x in ("1/2", "2/3", "1/3", "1/1000", "99/100", "3/7")]
alphas = st.sampled_from(ALPHAS)
masks = st.lists(st.booleans(), min_size=4, max_size=4)
databases = st.lists(
    st.tuples(st.sampled_from(["x", "y", None]), st.sampled_from(DOMAIN)),
    min_size=1,
    max_size=6,
)


@st.composite
def attacks(draw, most=9):
    """A table of counts, some of them 0, with a predicate."""
    n_sensitive, n_useful = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    n_cells = n_sensitive * n_useful
    cells = draw(
        st.lists(st.integers(0, most), min_size=n_cells, max_size=n_cells).filter(any)
    )
    mask = draw(st.lists(st.booleans(), min_size=n_useful, max_size=n_useful))
    return AttackContext(np.array(cells).reshape(n_sensitive, -1), np.array(mask))


def mechanisms(attack, alpha):
    k = attack.counts.shape[1]
    return truncated_geometric(alpha, k - 1), randomised_response(alpha, k)


def local(attack, mechanism):
    return of_reports(attack, reports(mechanism, attack.is_counted))


def of_all_mechanisms(attack, alpha):
    noisy = [local(attack, mechanism) for mechanism in mechanisms(attack, alpha)]
    return [oblivious(attack, alpha), *noisy]


def measures(found):
    return found.prior, found.posterior, found.utility


def by_brute_force(both):
    return naive.prior_vul(both), naive.post_vul(both), naive.utility(both)


@examples(60)
@given(databases, masks, alphas)
def test_closed_forms_are_equations_6_4_to_6_9_and_convolution_is_the_recursion_6_11(
    records, mask, alpha
):
    predicate = dict(zip(DOMAIN, mask, strict=True)).get
    attack = naive.context(records, DOMAIN, predicate)
    both = naive.joint(records, predicate, naive.oblivious(predicate, alpha))
    assert measures(oblivious(attack, alpha)) == by_brute_force(both)
    matrix = naive.geometric(alpha, len(DOMAIN) - 1)
    both = naive.joint(records, predicate, naive.local(predicate, DOMAIN, matrix))
    channel = truncated_geometric(alpha, len(DOMAIN) - 1)
    exact = exact_local(attack, reports(channel, attack.is_counted))
    assert measures(exact) == by_brute_force(both)


def expected_absolute_error(records, predicate, mechanism):
    """The loss |i - j|, over x* drawn like a record, and over the reported count."""
    useful = [value for _, value in records]
    found = Fraction(0)
    for value in useful:
        real = sum(map(predicate, [*useful, value]))
        for reported, chance in enumerate(mechanism([*useful, value])):
            found += chance * abs(reported - real) / len(useful)
    return found


@examples(60)
@given(databases, masks, alphas)
def test_expected_absolute_error_is_that_of_every_report_of_every_record(
    records, mask, alpha
):
    predicate = dict(zip(DOMAIN, mask, strict=True)).get
    attack = naive.context(records, DOMAIN, predicate)
    noise = naive.oblivious(predicate, alpha)
    error = expected_absolute_error(records, predicate, noise)
    assert oblivious_error(attack, alpha) == (error, 0)
    matrices = (
        naive.geometric(alpha, len(DOMAIN) - 1),
        randomised_response(alpha, len(DOMAIN)).fractions(),
    )
    for channel, matrix in zip(mechanisms(attack, alpha), matrices, strict=True):
        noise = naive.local(predicate, DOMAIN, matrix)
        error = expected_absolute_error(records, predicate, noise)
        assert local_error(attack, reports(channel, attack.is_counted)) == (error, 0)


@examples(40)
@given(attacks(most=20), alphas)
def test_errors_of_large_tables_are_within_their_bound_of_the_exact_ones(attack, alpha):
    told = [reports(each, attack.is_counted) for each in mechanisms(attack, alpha)]
    exact = [oblivious_error(attack, alpha)]
    exact += [local_error(attack, each) for each in told]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(absolute_error, "MOST_BITS", 0)
        patch.setattr(absolute_error, "POWER_BITS", 0)
        found = [oblivious_error(attack, alpha)]
        found += [local_error(attack, each) for each in told]
    for (right, _), (near, error) in zip(exact, found, strict=True):
        assert abs(near - right) <= error < 1e-9


def test_without_noise_there_is_no_error_and_with_much_half_of_the_records():
    attack = attack_of([[3, 4], [0, 3]], True, False)
    assert oblivious_error(attack, Fraction(0)) == (0, 0)
    near, _ = oblivious_error(attack, 1 - Fraction(1, 10**9))
    assert float(near) == pytest.approx(11 / 2)


def test_the_error_of_a_count_of_many_records_is_that_of_the_law_without_ends():
    attack = attack_of([[2_000_000, 1_000_000]], True, False)
    for alpha in (
        Fraction(1, 3),
        Fraction("0.9048374180359595731642490594464366211947"),
    ):
        found, error = oblivious_error(attack, alpha)
        assert found == pytest.approx(2 * alpha / (1 - alpha**2), rel=1e-15)
        assert error < 1e-30


@given(databases, masks, alphas)
def test_the_adversary_s_posterior_is_that_of_the_whole_channel(records, mask, alpha):
    """Definition 28 is the leakage of a channel from x*'s record to the count."""
    predicate = dict(zip(DOMAIN, mask, strict=True)).get
    attack = naive.context(records, DOMAIN, predicate)
    noise = truncated_geometric(alpha, attack.n_records + 1)
    sizes = attack.counts.sum(axis=1).tolist()
    real = attack.n_counted
    rows = [
        [
            Fraction(other * below + counted * above, (n or 1) * noise.total)
            for below, above in zip(*noise.weights[real : real + 2], strict=True)
        ]
        for n, other, counted in zip(sizes, attack.others, attack.counted, strict=True)
    ]
    prior = [Fraction(n, attack.n_records) for n in sizes]
    leakage = channels.multiplicative_leakage(prior, rows)
    assert oblivious(attack, alpha).privacy_loss == leakage


@examples(40)
@given(attacks(most=20), alphas)
def test_floats_are_within_their_bound_of_the_exact_local_measures(attack, alpha):
    for mechanism in mechanisms(attack, alpha):
        told = reports(mechanism, attack.is_counted)
        exact, found = exact_local(attack, told), bounded_local(attack, told)
        assert found.prior == exact.prior
        assert abs(found.posterior - exact.posterior) <= found.error < 1e-9
        assert abs(found.utility - exact.utility) <= found.error


def attack_of(counts, *is_counted):
    return AttackContext(np.array(counts), np.array(is_counted))


# Values of one answer to the predicate lie at unlike distances from the other's: the
# local mechanism tells them apart, the count without noise does not.
UNLIKE = [
    (attack_of([[1, 1, 0], [1, 0, 1]], True, False, False), Fraction(1, 3)),
    (attack_of([[1, 0, 2], [1, 2, 0]], True, False, False), Fraction(1, 3)),
    (attack_of([[0, 0, 0], [0, 1, 0], [1, 0, 0]], False, False, True), Fraction(1, 2)),
]


@given(attacks(), alphas)
@example(*UNLIKE[0])
@example(*UNLIKE[1])
@example(*UNLIKE[2])
def test_loss_and_utility_are_within_their_bounds(attack, alpha):
    limits = bounds(attack)
    geometric, response = (local(attack, m) for m in mechanisms(attack, alpha))
    noisy_count = oblivious(attack, alpha)
    assert limits.loss_noise_free <= limits.loss_ceiling <= limits.loss_ceiling_printed
    assert limits.loss_floor == limits.utility_ceiling == 1
    n_modal = max(map(sum, zip(*attack.counts.tolist(), strict=True)))
    assert limits.utility_floor_printed == Fraction(n_modal, attack.n_records)
    assert geometric.privacy_loss <= limits.loss_ceiling
    assert max(noisy_count.posterior, response.posterior) <= (
        limits.loss_noise_free * attack.prior
    )
    for found in (noisy_count, geometric, response):
        assert found.privacy_loss >= 1
        assert limits.utility_floor <= found.utility <= limits.utility_ceiling
    for found in of_all_mechanisms(attack, Fraction(0)):
        assert (found.privacy_loss, found.utility) == (limits.loss_noise_free, 1)


@pytest.mark.parametrize(
    ("attack", "alpha", "loss"),
    [
        (*each, loss)
        for each, loss in zip(UNLIKE, (1.04145, 1.04704, 1.09259), strict=True)
    ],
)
def test_the_local_mechanism_may_tell_more_than_the_count_without_noise(
    attack, alpha, loss
):
    geometric, response = (local(attack, m) for m in mechanisms(attack, alpha))
    limit = bounds(attack).loss_noise_free
    assert round(float(geometric.privacy_loss), 5) == loss > limit
    assert response.privacy_loss == oblivious(attack, alpha).privacy_loss == limit == 1


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=3).filter(any),
    st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any),
    alphas,
)
def test_a_count_of_an_independent_attribute_leaks_nothing(sensitive, useful, alpha):
    mask = np.arange(len(useful)) % 2 == 0
    attack = AttackContext(np.outer(sensitive, useful), mask)
    assert all(found.privacy_loss == 1 for found in of_all_mechanisms(attack, alpha))
    assert dependence(attack.counts).sensitive.normalised_leakage == 0


@given(attacks(), alphas)
def test_leakages_are_ratio_and_difference_and_none_is_above_that_of_the_useful_value(
    attack, alpha
):
    given_useful = dependence(attack.counts).sensitive
    for found in of_all_mechanisms(attack, alpha):
        assert found.privacy_loss * found.prior == found.posterior
        assert found.additive_leakage == found.posterior - found.prior
        assert found.privacy_loss_error * found.prior == found.error
        assert found.prior == given_useful.prior
        assert found.posterior <= given_useful.posterior


@given(attacks(most=10**6), st.lists(alphas, min_size=2, max_size=2).map(sorted))
def test_more_noise_never_helps_the_adversary_or_the_analyst(attack, less_and_more):
    less, more = (oblivious(attack, alpha) for alpha in less_and_more)
    assert more.posterior <= less.posterior
    assert more.utility <= less.utility


@given(attacks(most=10**6), alphas)
def test_all_counts_at_once_are_the_counts_one_by_one(attack, alpha):
    found = count_leakage(attack.counts, alpha)
    for v, n_counted in enumerate(found.n_counted):
        mask = np.arange(attack.counts.shape[1]) == v
        alone = AttackContext(attack.counts, mask)
        assert n_counted == alone.n_counted
        assert found.noisy[v] == oblivious(alone, alpha)
        assert found.noise_free[v] == oblivious(alone, Fraction(0))


@given(attacks())
def test_inference_is_the_same_from_either_side(attack):
    there, back = dependence(attack.counts), dependence(attack.counts.T)
    assert (there.sensitive, there.useful) == (back.useful, back.sensitive)
    mirrored = {"A": "A", "B": "B", "C": "D", "D": "C"}
    assert back.scenario() == mirrored[there.scenario()]


@given(alphas, st.integers(0, 6))
def test_the_truncated_geometric_mechanism_is_equation_6_14(alpha, n):
    found = truncated_geometric(alpha, n)
    if n:
        assert [list(row) for row in found.fractions()] == naive.geometric(alpha, n)
    assert all(sum(row) == 1 for row in found.fractions())


@given(alphas, st.integers(1, 6))
def test_both_local_mechanisms_keep_epsilon(alpha, n_values):
    """No report is more than 1/alpha times as likely from one value as another."""
    local_response = randomised_response(alpha, n_values).fractions()
    neighbours = truncated_geometric(alpha, n_values - 1).fractions()
    for rows, reach in ((local_response, n_values), (neighbours, 1)):
        for i, row in enumerate(rows):
            for other in rows[max(0, i - reach) : i + reach + 1]:
                assert all(alpha * p <= q for p, q in zip(row, other, strict=True))


@given(alphas, st.integers(1, 6))
def test_randomised_response_reports_the_truth_1_over_alpha_times_as_often(alpha, k):
    rows = randomised_response(alpha, k).fractions()
    assert all(sum(row) == 1 for row in rows)
    others = {rows[i][j] for i in range(k) for j in range(k) if i != j}
    assert others in (set(), {rows[0][0] * alpha})


any_alpha = st.fractions(min_value=0, max_value=1, max_denominator=9)


@st.composite
def people(draw, max_counts=3, max_records=6):
    """Of each record its sensitive value, and by which counts it is counted."""
    n_counts = draw(st.integers(1, max_counts))
    record = st.tuples(st.integers(0, 2), st.integers(0, (1 << n_counts) - 1))
    return n_counts, draw(st.lists(record, min_size=1, max_size=max_records))


def cells(n_counts, records):
    found = np.zeros((3, 1 << n_counts), dtype=np.int64)
    for value, counted in records:
        found[value, counted] += 1
    return found


def by_definition(n_counts, records, alpha):
    """Sum over all reported counts of the most likely value's chance (Eq. 6.4)."""
    n = len(records)
    noise = naive_mechanisms.geometric(alpha, n + 1)
    real = [sum(c >> j & 1 for _, c in records) for j in range(n_counts)]
    chances = Counter()
    for (value, counted), times in Counter(records).items():
        rows = [noise[real[j] + (counted >> j & 1)] for j in range(n_counts)]
        for reported in product(range(n + 2), repeat=n_counts):
            chance = Fraction(times, n)
            for row, count in zip(rows, reported, strict=True):
                chance *= row[count]
            chances[reported, value] += chance
    largest = {}
    for (reported, _), chance in chances.items():
        largest[reported] = max(largest.get(reported, 0), chance)
    return sum(largest.values())


@given(people(), any_alpha)
@examples(200)
def test_all_counts_together_tell_what_their_joint_reports_tell(table, alpha):
    n_counts, records = table
    found = posterior_of_counts(cells(n_counts, records), alpha)
    assert found == by_definition(n_counts, records, alpha)


@given(people(max_counts=4, max_records=40), any_alpha)
def test_no_posterior_is_below_the_prior_nor_above_its_bounds(table, alpha):
    n_counts, records = table
    counts = cells(n_counts, records)
    prior = Fraction(int(counts.sum(axis=1).max()), len(records))
    found = posterior_of_counts(counts, alpha)
    noise_free = posterior_of_counts(counts, Fraction(0))
    assert prior <= found <= noise_free
    assert found <= largest_posterior(prior, alpha**n_counts)
