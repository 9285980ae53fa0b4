from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.figures import scales
from microleak.figures.numbers import Numbers, columns_written
from microleak.study.tables import result_tables

ENGLISH = Numbers("en")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        *((0, "0%"), (1, "100%"), (0.8113, "81.13%"), (0.5, "50.00%")),
        *((1 / 48_176_423, "0.000002%"), (0.000002, "0.0002%")),
        *((0.00004, "0.004%"), (0.99999, "99.999%")),
    ],
)
def test_a_share_is_never_rounded_to_none_or_all(share, text):
    assert ENGLISH.share(share) == text


def test_portuguese_has_a_decimal_comma_and_points_between_thousands():
    numbers = Numbers("pt")
    assert numbers.share(0.8113) == "81,13%"
    assert numbers.epsilon("0.5") == "0,5"
    assert numbers.exact_share("0.0125") == "1,25%"
    assert numbers.four_digits(1269.2581) == "1.269"
    assert numbers.ratio(1.00366) == "1,0037"
    assert numbers.ratio(43_323_676.0) == "43.323.676"


@pytest.mark.parametrize(
    ("how", "value", "text"),
    [
        *(("ratio", 1.0, "1"), ("ratio", 1.00000001, "1.0000"), ("ratio", 2.0, "2")),
        ("ratio", 12_345.6, "12,346"),
        *(("brief", 0.9636, "96.4"), ("brief", 0.9995, "99.95"), ("brief", 1, "100")),
        ("brief", 2e-6, "0.0002"),
        *(("change", 0.1288, "+12.88"), ("change", -0.1288, "−12.88")),
        *(("change", 0.0, "0"), ("change", -1.0, "−100")),
        *(("four_digits", 1269.2581, "1,269"), ("four_digits", 2.0, "2")),
        *(("three_digits", 11.180339, "11.2"), ("three_digits", 1234.5, "1,234")),
        *(("five_decimals", 1.4401392, "1.44014"), ("five_decimals", 1, "1.00000")),
        *(("two_decimals", 1, "1"), ("two_decimals", 1.001, "1.00")),
        *(("epsilon", "ln 10^5", "ln 10⁵"), ("epsilon_equals", "1", "ε\xa0=\xa01")),
        *(("exact_share", "0.0125", "1.25%"), ("exact_share", "1/3", "1/3")),
    ],
)
def test_numbers_are_written_as_their_kind_is(how, value, text):
    assert getattr(ENGLISH, how)(value) == text


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
    assert ENGLISH.two_shares(*shares) == told


UNLIKE = {
    *("n_below_k_map_2", "n_below_k_map_3", "n_below_k_map_5", "n_below_k_map_10"),
    *("n_unique_both", "own_record", "least", "largest"),
}
"""Columns whose phrases say how their numbers are written, as tables differ in it."""


def test_numbers_of_columns_of_one_name_are_written_alike():
    shown = (each for each in result_tables().values() if each.audience == "internal")
    names = {c.name for table in shown for c in table.columns if c.is_number}
    assert names - {*columns_written()} == UNLIKE


SHARES = st.floats(0, 1)


@pytest.mark.parametrize("scale", [scales.blues, scales.oranges])
def test_a_larger_share_is_darker_and_always_readable(scale):
    of = scale([0.57])
    light = [
        scales.relative_luminance(of.fill(n / 100 * of.largest)) for n in range(101)
    ]
    assert all(lighter > darker for lighter, darker in pairwise(light))
    for n, luminance in enumerate(light):
        ink = scales.relative_luminance(of.ink(n / 100 * of.largest))
        high, low = max(ink, luminance), min(ink, luminance)
        assert (high + 0.05) / (low + 0.05) >= 4.5


@given(st.lists(SHARES | st.just(float("nan")), max_size=5))
def test_a_scale_runs_in_whole_percents_from_zero_past_every_share(shares):
    steps = scales.round_steps(shares)
    assert steps[0] == 0
    assert all(not share > steps[-1] for share in shares)
    assert all(step == pytest.approx(round(100 * step) / 100) for step in steps)
    assert 2 <= len(steps) <= 7
