from decimal import Decimal, localcontext
from fractions import Fraction
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import StudyError
from microleak.definitions.epsilon import Epsilon


@pytest.mark.parametrize(
    ("text", "alpha"),
    [
        ("ln 3", Fraction(1, 3)),
        ("ln 1.5", Fraction(2, 3)),
        ("ln 3/2", Fraction(2, 3)),
        ("ln 10^5", Fraction(1, 100_000)),
        ("ln 1.1^2", Fraction(100, 121)),
        (" ln  2 ", Fraction(1, 2)),
        ("ln3", Fraction(1, 3)),
    ],
)
def test_alpha_of_a_logarithm_is_one_over_its_argument(text, alpha):
    found = Epsilon.parse(text)
    assert (found.text, found.alpha, found.is_exact) == (text.strip(), alpha, True)


@given(st.decimals("0.001", "700", places=3))
def test_alpha_of_a_decimal_has_forty_digits(epsilon):
    """The caller's decimal precision is neither used nor changed."""
    with localcontext() as context:
        context.prec = 5
        found = Epsilon.parse(f"{epsilon:f}")
        assert context.prec == 5
        context.prec = 80
        exact = Fraction((-epsilon).exp())
    assert abs(found.alpha / exact - 1) < Fraction(1, 10**39)
    assert not found.is_exact
    assert found.value == float(epsilon)


@given(st.integers(2, 10**6))
def test_the_value_of_a_logarithm_is_the_logarithm(argument):
    found = Epsilon.parse(f"ln {argument}").value
    assert found == pytest.approx(log(argument), rel=1e-15)


def test_smallest_and_largest_epsilons_are_kept_apart_from_none_and_all():
    least, most = Epsilon.parse("0.000000000001"), Epsilon.parse("700")
    assert 0 < 1 - least.alpha < Fraction(2, 10**12)
    assert float(most.alpha) > 0
    assert most.value == 700
    assert Decimal(least.value) > 0


def test_the_longest_text_is_read_and_a_longer_one_refused_by_its_length():
    assert Epsilon.parse(f"ln 1.{'9' * 45}").text.endswith("999")
    for text in (f"ln 1.{'9' * 46}", f"ln {'1' * 5000}", f"0.{'5' * 5000}"):
        with pytest.raises(StudyError) as refused:
            Epsilon.parse(text)
        said = f"expected at most 50 characters, not {len(text):,}"
        assert said in str(refused.value)
        assert len(str(refused.value)) < 200


def test_what_is_no_epsilon_is_refused_with_what_would_be(text, expected):
    with pytest.raises(StudyError) as refused:
        Epsilon.parse(text)
    assert expected in str(refused.value)
    assert f"epsilon {text!r}" in str(refused.value)
    assert "epsilons of the analysis" in str(refused.value)
