"""Noise that an analysis asks for: a mechanism and an epsilon."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, log10
from typing import Any

from microleak.attacks.attack_context import AttackContext, PrivacyAndUtility
from microleak.attacks.epsilon import Epsilon
from microleak.attacks.local_mechanism import local
from microleak.attacks.mechanisms import randomised_response, truncated_geometric
from microleak.attacks.oblivious_mechanism import oblivious
from microleak.study.mechanism_model import LOCAL, OBLIVIOUS, Mechanism

Measure = Callable[[AttackContext], PrivacyAndUtility]


@dataclass(frozen=True)
class Noise:
    """One mechanism with one epsilon."""

    model: str
    epsilon: Epsilon

    def measure(self, n_values: int) -> Measure:
        """Return what measures it, for so many useful values."""
        alpha = self.epsilon.alpha
        if self.model == OBLIVIOUS:
            return lambda context: oblivious(context, alpha)
        if self.model == LOCAL:
            channel = truncated_geometric(alpha, n_values - 1)
        else:
            channel = randomised_response(alpha, n_values)
        return lambda context: local(context, channel)

    @property
    def columns(self) -> dict[str, Any]:
        """Which it is, as columns."""
        return {"model": self.model, "epsilon": self.epsilon.text}


def noises_of(analysis: Mechanism) -> list[Noise]:
    """Return all that an analysis of a count asks for: of each model the epsilons."""
    models = analysis.count.models if analysis.count else ()
    pairs = product(models, map(Epsilon.parse, analysis.epsilons))
    return [Noise(model, epsilon) for model, epsilon in pairs]


def known(value: Fraction, error: Fraction) -> Fraction:
    """Return a measure to as many decimals as its error leaves; all if it has none.

    The digits after them may differ from one processor to another.

    >>> float(known(Fraction("0.123456"), Fraction("0.0002")))
    0.123
    """
    if not error:
        return value
    return round(value, max(0, -ceil(log10(2 * error))))
