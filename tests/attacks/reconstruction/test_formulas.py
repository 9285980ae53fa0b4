"""Formulas of n, and what is no formula."""

import pytest

from microleak.attacks.reconstruction.definitions.limits import Formula, n_queries
from microleak.base.errors import StudyError


def test_a_formula_has_its_value(text, n, value):
    assert Formula(text, "noise").value(n) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sqr(n)", "unknown name 'sqr'.*Did you mean sqrt"),
        ("m*2", "unknown name 'm'"),
        ("n - 11", "is negative, -1, for n = 10"),
        ("1e300*1e300", "is not a finite number for n = 10"),
        ("n**n**n", "has no value for n = 10"),
        ("1/(n - 10)", "has no value for n = 10"),
        ("sqrt(0 - n)", "has no value for n = 10"),
        ("(0 - n)**0.5", "is not a finite number for n = 10"),
        ("sqrt(n, n)", "has no value for n = 10"),
        ("sqrt()", "has no value for n = 10"),
        ("sqrt(x=n)", "unknown name|no arithmetic"),
        ("'10'", "no arithmetic"),
        ("True", "no arithmetic"),
        ("n if n else 1", "no arithmetic"),
        ("n.real", "no arithmetic"),
        ("__import__('os')", "unknown name"),
        ("n //", "cannot be read"),
        ("", "cannot be read"),
        ("(" * 150 + "n" + ")" * 150, "longer than 200"),
        ("+" * 199 + "n", None),
        ("+" * 200 + "n", "longer than 200"),
    ],
)
def test_what_is_no_formula_is_refused_by_its_setting(text, said):
    if said is None:
        assert Formula(text, "noise").value(10) == 10
        return
    with pytest.raises(StudyError, match=said) as refused:
        Formula(text, "noise").value(10)
    assert "in noise of the study file" in str(refused.value)


@pytest.mark.parametrize("text", ["0", "log2(n)", "2**41"])
def test_no_query_and_far_too_many_are_refused(text):
    with pytest.raises(StudyError, match=r"queries for n = 1; at least 1 and at most"):
        n_queries(Formula(text, "queries"), 1)


def test_queries_are_rounded_up():
    assert n_queries(Formula("n/4", "queries"), 9) == 3
