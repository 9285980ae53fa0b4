"""Noise that an analysis asks for: a mechanism and an epsilon."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.attack_context import AttackContext, PrivacyAndUtility
from microleak.attacks.epsilon import Epsilon
from microleak.attacks.local_mechanism import of_reports, reports
from microleak.attacks.mechanisms import randomised_response, truncated_geometric
from microleak.attacks.oblivious_mechanism import oblivious
from microleak.study.mechanism_model import LOCAL, OBLIVIOUS, Mechanism

Measure = Callable[[AttackContext], PrivacyAndUtility]


@dataclass(frozen=True)
class Noise:
    """One mechanism with one epsilon, on the count of some useful values.

    Attributes
    ----------
    model, epsilon
        Mechanism, of `MODELS`, and how little noise it adds.
    is_counted
        Which useful values are counted, shape (n_useful,).
    """

    model: str
    epsilon: Epsilon
    is_counted: NDArray[np.bool_] = field(compare=False)

    @cached_property
    def measure(self) -> Measure:
        """What measures it, on all records or on samples of them.

        A local mechanism's chances are computed with the first use.
        """
        alpha, n_values = self.epsilon.alpha, len(self.is_counted)
        if self.model == OBLIVIOUS:
            return lambda context: oblivious(context, alpha)
        if self.model == LOCAL:
            channel = truncated_geometric(alpha, n_values - 1)
        else:
            channel = randomised_response(alpha, n_values)
        told = reports(channel, self.is_counted)
        return lambda context: of_reports(context, told)

    @property
    def columns(self) -> dict[str, Any]:
        """Which it is, as columns."""
        return {"model": self.model, "epsilon": self.epsilon.text}


def noises_of(analysis: Mechanism, is_counted: NDArray[np.bool_]) -> list[Noise]:
    """Return all that an analysis of a count asks for: of each model the epsilons."""
    models = analysis.count.models if analysis.count else ()
    pairs = product(models, map(Epsilon.parse, analysis.epsilons))
    return [Noise(model, epsilon, is_counted) for model, epsilon in pairs]


def known(value: Fraction, error: Fraction) -> Fraction:
    """Return a measure to as many decimals as its error leaves; all if it has none.

    The digits after them may differ from one processor to another.

    >>> float(known(Fraction("0.123456"), Fraction("0.0002")))
    0.123
    """
    if not error:
        return value
    return round(value, max(0, -ceil(log10(2 * error))))
