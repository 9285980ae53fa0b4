"""Texts that are numbers are so for rounding, weights and regressions alike."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.decimals import exact_number, with_points
from microleak.base.errors import TableError
from microleak.protection.methods import rounded_text

digits = st.text("0123456789", min_size=1)


@given(st.sampled_from(["", "-"]), digits, st.none() | digits)
def test_a_number_is_read_exactly_or_not_at_all(sign, whole, part):
    text = f"{sign}{whole}" + ("" if part is None else f".{part}")
    is_short = len(whole) <= 15 and len(part or "0") <= 20
    assert exact_number(text) == (Fraction(text) if is_short else None)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", ".5", "5.", "+5", "1_000", "1e3", "1/2", "12,5", " 5", "5\n"),
        *("\uff15", "\u0665", "nan", "inf", "0x1", "- 5", "1 000"),
    ],
)
def test_other_texts_are_no_numbers(text):
    assert exact_number(text) is None
    with pytest.raises(TableError, match="that are no numbers as 12"):
        rounded_text(text, 10, "income")


def test_signs_that_may_stand_between_thousands_are_refused(texts):
    with pytest.raises(TableError, match="w: its commas or points may stand before"):
        with_points(texts, "w:")


def test_signs_that_cannot_stand_between_thousands_are_points(texts, found):
    assert with_points(texts, "w:") == found
