"""How large epsilons are, which result tables have as a study file writes them."""

import re
from fractions import Fraction
from math import log1p

_LOGARITHM = re.compile(r"ln *([\d.]+)(?:/([\d.]+))?(?:\^(\d+))?")


def epsilon_size(epsilon: str) -> float:
    """Return an epsilon as a number, for orders and axes.

    Parameters
    ----------
    epsilon
        One that `microleak.attacks.epsilon` has read: `ln x` with x written 3,
        1.5, 3/2 or 10^5, or a decimal.

    Examples
    --------
    >>> epsilon_size("0.5"), round(epsilon_size("ln 10^2"), 5)
    (0.5, 4.60517)
    """
    found = _LOGARITHM.fullmatch(epsilon)
    if found is None:
        return float(epsilon)
    number, divisor, power = found.groups()
    above_1 = Fraction(number) / Fraction(divisor or 1) - 1
    return int(power or 1) * log1p(float(above_1))
