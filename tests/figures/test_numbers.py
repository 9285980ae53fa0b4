import pandas as pd
import pytest

from microleak.figures.numbers import Numbers

INTERNAL = Numbers("en", suppressed="hidden")
PUBLIC = Numbers("en", suppressed="hidden", is_published=True)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (1, "100%"),
        (0.8113, "81.13%"),
        (0.5, "50.00%"),
        (1 / 48_176_423, "0.000002%"),
        (0.000002, "0.0002%"),
        (0.00004, "0.004%"),
        (0.99999, "99.999%"),
    ],
)
def test_a_share_is_never_rounded_to_none_or_all(share, text):
    assert INTERNAL.share(share) == text


def test_portuguese_has_a_decimal_comma_and_points_between_thousands():
    numbers = Numbers("pt")
    assert numbers.share(0.8113) == "81,13%"
    assert numbers.ratio(1.00366) == "1,0037"
    assert numbers.ratio(43_323_676.0) == "43.323.676"


def test_a_published_share_has_no_digit_that_was_rounded_away():
    assert [PUBLIC.share(x) for x in (0.811, 0.97, 0.0)] == ["81.1%", "97%", "0%"]


def test_a_published_share_that_is_positive_is_not_shown_as_exactly_zero():
    assert PUBLIC.share(0.0, is_positive=True) == "≈0%"
    assert PUBLIC.points(0.0, is_positive=True) == "≈0"


@pytest.mark.parametrize("missing", [float("nan"), pd.NA, None])
def test_a_missing_number_is_said_to_be_suppressed(missing):
    assert PUBLIC.share(missing) == PUBLIC.ratio(missing) == "hidden"
    assert PUBLIC.count(missing) == "<10"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "1"), (1.00000001, "1.0000"), (2.0, "2"), (12_345.6, "12,346")],
)
def test_a_ratio_is_whole_only_if_it_is_or_is_large(ratio, text):
    assert INTERNAL.ratio(ratio) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.9636, "96.4"), (0.9995, "99.95"), (1, "100"), (2e-6, "0.0002")],
)
def test_a_brief_share_stays_apart_from_0_and_100(share, text):
    assert INTERNAL.brief(share) == text


@pytest.mark.parametrize(
    ("difference", "text"),
    [(0.1288, "+12.88"), (-0.1288, "−12.88"), (0.0, "0"), (-1.0, "−100")],
)
def test_a_change_is_in_points_with_its_sign(difference, text):
    assert INTERNAL.change(difference) == text


def test_a_change_that_was_rounded_to_nothing_is_not_said_to_be_nothing():
    assert PUBLIC.change(0.0) == "≈0"
    assert PUBLIC.change(float("nan")) == "hidden"


def test_a_brief_published_share_that_is_positive_is_not_shown_as_exactly_zero():
    assert [PUBLIC.brief(0.0), PUBLIC.brief(0.0, is_positive=True)] == ["0", "≈0"]
