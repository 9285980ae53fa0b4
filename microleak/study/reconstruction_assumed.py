"""The bound of the noise that attacks of an analysis believe in."""

from microleak.attacks.formulas import Formula
from microleak.attacks.noise_bounds import LARGEST_BOUND, on_grid
from microleak.errors import StudyError

SETTING = "assumed_error"


def assumed_bound(text: str, n: int) -> float:
    """Return the bound E of a formula of n, lowered to a multiple of 2**-20.

    Unlike that of the noise it is not lowered further: whoever attacks may not know
    the law.

    Raises
    ------
    StudyError
        If the formula has no value for n, or one above 2**31.

    Examples
    --------
    >>> assumed_bound("0.25*sqrt(n)", 16)
    1.0
    """
    value = Formula(text, SETTING).value(n)
    if value > LARGEST_BOUND:
        raise StudyError(
            f"The formula {text!r} is {value:.10g} for n = {n}: it must be from 0 to "
            f"{LARGEST_BOUND}. Correct {SETTING} of the reconstruction analysis in "
            "the study file."
        )
    return on_grid(value)
