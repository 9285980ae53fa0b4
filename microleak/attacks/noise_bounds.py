"""Laws that hide answers, and the bound E that the noise of each can reach.

Without a compiled kernel, so that a study is checked before one is loaded; what the
laws draw is in `microleak.attacks.noise_laws`.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from microleak.errors import StudyError

GRID: Final = 1 << 20
"""Answers are multiples of 1 / GRID."""

LARGEST_BOUND: Final = 1 << 31

LARGEST_GEOMETRIC: Final = 1000
"""Largest E of geometric noise, whose exact chances take E integers of E digits."""


def reached_bound(law: str, bound: float, alpha: Fraction | None = None) -> float:
    """Return E lowered to what the noise of a law can reach.

    That is a multiple of 2**-20; of integer noise a whole number, and of adversarial
    noise half of one. Rounding to a base moves an answer by half of it, rounded down,
    at most: that to the base 1 leaves every answer exact.

    Parameters
    ----------
    law
        One of `LAWS`.
    bound
        E, from 0 up; of rounding, half of the base.
    alpha
        Of truncated_geometric only, in (0, 1).

    Raises
    ------
    StudyError
        If the law cannot have that E or alpha.

    Examples
    --------
    >>> reached_bound("uniform_integer", 2.9), reached_bound("adversarial", 2.9)
    (2.0, 2.5)
    >>> [reached_bound("rounding", base / 2) for base in (1, 2, 3, 10)]
    [0.0, 1.0, 1.0, 5.0]
    """
    if not 0 <= bound <= LARGEST_BOUND:
        raise refusal(law, f"E = {bound}", f"from 0 to {LARGEST_BOUND}", "errors")
    if law == "truncated_geometric":
        _check_geometric(bound, alpha)
    return _REACHED[law](bound)


def distinct_bound(law: str, bound: float, alpha: Fraction | None = None) -> float:
    """Return what of a bound makes a difference to the noise that a law draws.

    It is the bound that is reached; but of rounding half of the base, as the bases 2
    and 3 both reach 1. Takes and raises what `reached_bound` does.

    >>> [distinct_bound(law, 1.5) for law in ("rounding", "uniform_integer")]
    [1.5, 1.0]
    """
    reached = reached_bound(law, bound, alpha)
    return bound if law == "rounding" and reached else reached


def on_grid(bound: float) -> float:
    """Return the largest multiple of 2**-20 that is not above a bound.

    >>> on_grid(0.1)
    0.09999942779541016
    """
    return math.floor(bound * GRID) / GRID


def refusal(law: str, found: str, expected: str, setting: str) -> StudyError:
    """Return the error that noise of a law cannot have what a setting asks for."""
    return StudyError(
        f"Noise of the law {law} cannot have {found}: it must be {expected}. Correct "
        f"{setting} of the reconstruction analysis in the study file."
    )


def _check_geometric(bound: float, alpha: Fraction | None) -> None:
    law = "truncated_geometric"
    if alpha is None or not 0 < alpha < 1:
        raise refusal(law, f"alpha = {alpha}", "between 0 and 1", "noises")
    if bound > LARGEST_GEOMETRIC:
        raise refusal(law, f"E = {bound}", f"from 0 to {LARGEST_GEOMETRIC}", "errors")


def _of_rounding(bound: float) -> float:
    base = 2 * bound
    if base == 0 or base != int(base):
        found = f"a base of {base:.10g}"
        raise refusal("rounding", found, "a whole number from 1 up", "errors")
    return float(base // 2)


def _whole(bound: float) -> float:
    return float(math.floor(bound))


_REACHED: Final[dict[str, Callable[[float], float]]] = {
    "uniform": on_grid,
    "uniform_integer": _whole,
    "adversarial": lambda bound: math.floor(2 * bound) / 2,
    "rounding": _of_rounding,
    "truncated_geometric": _whole,
}

LAWS: Final = tuple(_REACHED)
"""Names of the laws in a study."""
