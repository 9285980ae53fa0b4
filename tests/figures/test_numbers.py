import pytest

from microleak.figures.numbers import Numbers, columns_written
from microleak.study.tables import result_tables

ENGLISH = Numbers("en")


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
    assert ENGLISH.share(share) == text


def test_portuguese_has_a_decimal_comma_and_points_between_thousands():
    numbers = Numbers("pt")
    assert numbers.share(0.8113) == "81,13%"
    assert numbers.ratio(1.00366) == "1,0037"
    assert numbers.ratio(43_323_676.0) == "43.323.676"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "1"), (1.00000001, "1.0000"), (2.0, "2"), (12_345.6, "12,346")],
)
def test_a_ratio_is_whole_only_if_it_is_or_is_large(ratio, text):
    assert ENGLISH.ratio(ratio) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.9636, "96.4"), (0.9995, "99.95"), (1, "100"), (2e-6, "0.0002")],
)
def test_a_brief_share_stays_apart_from_0_and_100(share, text):
    assert ENGLISH.brief(share) == text


@pytest.mark.parametrize(
    ("difference", "text"),
    [(0.1288, "+12.88"), (-0.1288, "−12.88"), (0.0, "0"), (-1.0, "−100")],
)
def test_a_change_is_in_points_with_its_sign(difference, text):
    assert ENGLISH.change(difference) == text


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ((0.963, 0.97), ("96.30%", "97.00%")),
        ((0.96296, 0.96304), ("96.296%", "96.304%")),
        ((0.963, 0.963), ("96.30%", "96.30%")),
        ((0.963, 0.963 + 1e-12), ("96.300000%", "96.300000%")),
        ((1, 1), ("100%", "100%")),
    ],
)
def test_two_shares_that_differ_are_written_apart(shares, told):
    assert Numbers("en").two_shares(*shares) == told


UNLIKE = {
    *("n_below_k_map_2", "n_below_k_map_3", "n_below_k_map_5", "n_below_k_map_10"),
    *("n_unique_both", "own_record", "least", "largest"),
}
"""Columns whose phrases say how their numbers are written, as tables differ in it."""


def test_numbers_of_columns_of_one_name_are_written_alike():
    shown = (each for each in result_tables().values() if each.audience == "internal")
    names = {c.name for table in shown for c in table.columns if c.is_number}
    assert names - {*columns_written()} == UNLIKE
