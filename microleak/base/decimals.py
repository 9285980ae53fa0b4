"""Texts that are numbers, as all parts of the program read them."""

import re
from collections.abc import Sequence
from fractions import Fraction

from microleak.base.errors import TableError

_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+")


def exact_number(text: str) -> Fraction | None:
    """Return the number that a text is, exactly; None if it is none as 12 or 12.5.

    Digits are those of ASCII, up to 15 before and 20 after the point. Without signs
    between thousands, exponents and spaces nobody can read another number in a text.

    >>> [exact_number(text) for text in ("12", "-12.5", "12,5", "1_000", "1e3", " 5 ")]
    [Fraction(12, 1), Fraction(-25, 2), None, None, None, None]
    """
    return Fraction(text) if _DECIMAL.fullmatch(text) else None


def is_ambiguous(texts: Sequence[str]) -> bool:
    """Whether a sign in numbers of a column may stand between thousands.

    It may if there are both signs, or if all numbers with one are as 1.234 is: one to
    three digits, not 0 first, and then three after each sign.

    >>> is_ambiguous(["1.234", "987"]), is_ambiguous(["1,234", "1.5"])
    (True, True)
    >>> is_ambiguous(["1.234", "0.987"]), is_ambiguous(["1,234", "12,5"])
    (False, False)
    """
    signed = [text for text in texts if "." in text or "," in text]
    signs = {sign for text in signed for sign in ".," if sign in text}
    return len(signs) > 1 or (bool(signed) and all(map(_GROUPED.fullmatch, signed)))


def with_points(texts: Sequence[str], where: str) -> Sequence[str]:
    """Return numbers with points before decimals, where they have commas there."""
    if is_ambiguous(texts):
        raise TableError(
            f"{where} its commas or points may stand before decimals or between "
            "thousands: 1.234 may be 1234 or a little more than 1. Write 1234, or "
            "1.2340."
        )
    return [text.replace(",", ".") for text in texts]
