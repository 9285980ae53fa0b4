"""Texts that are numbers, as all parts of the program read them."""

import re
from fractions import Fraction

_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?")


def decimal(text: str) -> Fraction | None:
    """Return the number that a text is, exactly; None if it is none as 12 or 12.5.

    Digits are those of ASCII, up to 15 before and 20 after the point. Without signs
    between thousands, exponents and spaces nobody can read another number in a text.

    Examples
    --------
    >>> [decimal(text) for text in ("12", "-12.5", "12,5", "1_000", "1e3", " 5 ")]
    [Fraction(12, 1), Fraction(-25, 2), None, None, None, None]
    """
    return Fraction(text) if _DECIMAL.fullmatch(text) else None
