"""Epsilon as a study says it, and the alpha that it stands for.

Nunes' tables have epsilons like `ln 3`, whose alpha = exp(-epsilon) is the fraction
1/3 exactly (Definition 32). That of a decimal epsilon is not rational: it is kept as
a fraction of 40 digits. All measures are exact for that fraction, and differ from
those of the epsilon by less than 16 k (n + 1) 1e-40 for n records and k useful
values, which is less than a float can tell. So is the difference of the expected
absolute error, which is below (n + 2) ** 2 1e-40 records.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import NoReturn

from microleak.base.errors import StudyError

DIGITS = 40
"""Significant digits of an alpha that is not rational."""

LEAST, MOST = Decimal("1e-12"), Decimal(700)
"""Range of epsilon: below it alpha is next to 1, above it next to no float."""

MOST_CHARACTERS = 50
"""Longest text of an epsilon, as an alpha has no more digits than `DIGITS`."""

NUMBER = r"\d+(?:\.\d+)?"
LOGARITHM = re.compile(rf"ln *(?:({NUMBER})(?:/({NUMBER})|\^(\d{{1,3}}))?)", re.ASCII)
DECIMAL = re.compile(NUMBER, re.ASCII)
EXPECTED = (
    "expected a number above 0 like 0.5, written without exponent, or the logarithm of "
    "one above 1"
)


@dataclass(frozen=True)
class Epsilon:
    """How little noise a mechanism adds."""

    # As the study says it.
    text: str
    # exp(-epsilon), in ]0, 1[.
    alpha: Fraction
    # Alpha is not rounded.
    is_exact: bool

    @classmethod
    @cache
    def parse(cls, text: str) -> "Epsilon":
        """Return the epsilon that a study's text means.

        Parameters
        ----------
        text
            `ln x` with x above 1, written 3, 1.5, 3/2 or 10^5; or a decimal like
            0.5. From 1e-12 to 700, in at most 50 characters.

        Raises
        ------
        StudyError
            If the text is not one, with what is wrong about it.

        Examples
        --------
        >>> Epsilon.parse("ln 10^5")
        Epsilon(text='ln 10^5', alpha=Fraction(1, 100000), is_exact=True)
        >>> float(Epsilon.parse("0.5").alpha)
        0.6065306597126334
        """
        said = text.strip()
        _check_length(said)
        if found := LOGARITHM.fullmatch(said):
            epsilon = cls(said, 1 / _argument_of_logarithm(said, *found.groups()), True)
        elif DECIMAL.fullmatch(said):
            epsilon = cls(said, _alpha_of_decimal(said, Decimal(said)), False)
        else:
            _refuse_epsilon(said, EXPECTED + " like ln 3 or ln 10^5")
        return epsilon

    def divided(self, n: int) -> Fraction:
        """Return exp(-epsilon / n), to 40 digits where it is not epsilon itself.

        >>> Epsilon.parse("ln 9").divided(1)
        Fraction(1, 9)
        >>> float(Epsilon.parse("ln 9").divided(2)) == 1 / 3
        True
        """
        if n == 1:
            return self.alpha
        with localcontext(prec=DIGITS):
            return Fraction((_logarithm(self.alpha) / n).exp())

    @property
    def value(self) -> float:
        """Epsilon itself, rounded once; for axes, not for computing."""
        return float(-_logarithm(self.alpha))


def _argument_of_logarithm(
    said: str, number: str, divisor: str | None, power: str | None
) -> Fraction:
    if divisor is not None and not Fraction(divisor):
        _refuse_epsilon(said, "expected a divisor above 0")
    argument = Fraction(number) / Fraction(divisor or 1)
    argument **= int(power or 1)
    if argument <= 1:
        _refuse_epsilon(said, f"{EXPECTED}: that of 1 or less is not above 0")
    _check_range(said, _logarithm(argument))
    return argument


def _alpha_of_decimal(said: str, epsilon: Decimal) -> Fraction:
    if not epsilon:
        _refuse_epsilon(said, EXPECTED)
    _check_range(said, epsilon)
    with localcontext(prec=DIGITS):
        return Fraction((-epsilon).exp())


def _logarithm(number: Fraction) -> Decimal:
    with localcontext(prec=DIGITS):
        return (Decimal(number.numerator) / Decimal(number.denominator)).ln()


def _check_length(said: str) -> None:
    if len(said) > MOST_CHARACTERS:
        _refuse_epsilon(
            f"{said[:MOST_CHARACTERS]}…",
            f"expected at most {MOST_CHARACTERS} characters, not {len(said):,}",
        )


def _check_range(said: str, epsilon: Decimal) -> None:
    if not LEAST <= epsilon <= MOST:
        _refuse_epsilon(said, f"expected an epsilon from {LEAST} to {MOST}")


def _refuse_epsilon(said: str, expected: str) -> NoReturn:
    raise StudyError(
        f"epsilon {said!r}: {expected}. "
        "Correct epsilons of the analysis in the study file."
    )
