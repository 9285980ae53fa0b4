"""How well two attributes are inferred from each other, and by which counts.

Nunes' Example 33 chooses four pairs by this: highly correlated (A), lowly correlated
(B), the sensitive attribute inferable from the useful one (C), and the other way round
(D). The paper has no measure for it; ours is the Bayes vulnerability that all its
definitions use: the share of the best guess's errors that knowing the other attribute
takes away. It is the lambda of Goodman and Kruskal (1954).

Which counts of a release leak what: one predicate a useful value. For each useful
value v the oblivious count of the records with v, at one epsilon and without noise
(Nunes, Eqs. 6.3 to 6.9 in the closed forms of
`microleak.attacks.mechanism.definitions.oblivious_mechanism`), all values at once.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.mechanism.definitions.attack_context import (
    PrivacyAndUtility,
    check_records,
)
from microleak.base.arrays import Integers

INFERABLE = Fraction(1, 2)
"""An attribute is inferable if more than this share of the errors goes away."""


@dataclass(frozen=True)
class Inference:
    """How well one attribute is guessed without and with the other.

    Both in ]0, 1].
    """

    prior: Fraction
    posterior: Fraction

    @property
    def normalised_leakage(self) -> Fraction:
        """Share of the errors of the best guess that go away, in [0, 1].

        The additive leakage over 1 - prior; 0 for an attribute of one value, of
        which there is nothing to learn.
        """
        if self.prior == 1:
            return Fraction(0)
        return (self.posterior - self.prior) / (1 - self.prior)


@dataclass(frozen=True)
class Dependence:
    """Inference both ways between a sensitive and a useful attribute.

    If the normalised leakage of `sensitive` is 0, no count of useful values leaks
    anything at any epsilon, as a count says no more than the useful value itself.
    """

    sensitive: Inference
    useful: Inference

    def scenario(self, inferable: Fraction = INFERABLE) -> str:
        """Letter of the scenario of Example 33: A, B, C or D.

        An attribute is inferable from the other if its normalised leakage exceeds
        `inferable`, in [0, 1[: A if both are, C if only the sensitive one, D if
        only the useful one, B if neither.
        """
        is_inferable = (
            self.sensitive.normalised_leakage > inferable,
            self.useful.normalised_leakage > inferable,
        )
        letters = {(True, True): "A", (True, False): "C", (False, True): "D"}
        return letters.get(is_inferable, "B")


def dependence(counts: Integers) -> Dependence:
    """Measure how well each of two attributes is inferred from the other.

    Parameters
    ----------
    counts
        Records with each sensitive value (row) and useful value (column); a
        missing value has a row or column of its own.

    Raises
    ------
    StudyError
        If there is no record.

    Examples
    --------
    Nunes' Example 33, scenario C: country follows from income.

    >>> import numpy as np
    >>> found = dependence(np.array([[0, 4, 0], [2, 0, 2]]))
    >>> found.sensitive.normalised_leakage, found.useful.normalised_leakage
    (Fraction(1, 1), Fraction(1, 2))
    >>> found.scenario()
    'C'
    """
    check_records(counts)
    return Dependence(sensitive=_inference(counts), useful=_inference(counts.T))


def _inference(counts: Integers) -> Inference:
    """Inference of the rows' attribute from the columns'."""
    n_records = int(counts.sum())
    return Inference(
        prior=Fraction(int(counts.sum(axis=1).max()), n_records),
        posterior=Fraction(int(counts.max(axis=0).sum()), n_records),
    )


MOST = 2**62
"""Below it sums fit 64 bits."""

AnyIntegers = NDArray[np.int64] | NDArray[np.object_]


@dataclass(frozen=True)
class CountLeakage:
    """What the count of each useful value gives away, in the columns' order."""

    n_counted: Integers
    """Records with the value: the real counts."""
    noisy: list[PrivacyAndUtility]
    """Each count's privacy and utility at the epsilon asked for, exactly."""
    noise_free: list[PrivacyAndUtility]
    """The same without noise."""


def count_leakage(counts: Integers, alpha: Fraction) -> CountLeakage:
    """Measure the oblivious count of each useful value.

    Parameters
    ----------
    counts
        Records with each sensitive value (row) and useful value (column).
    alpha
        exp(-epsilon), in [0, 1].

    Raises
    ------
    StudyError
        If there is no record.

    Examples
    --------
    Of four people in one country all have a medium income, of four in another two
    have a low and two a high one.

    >>> country = np.array([[0, 4, 0], [2, 0, 2]])
    >>> found = count_leakage(country, Fraction(1, 3))
    >>> [str(count.privacy_loss) for count in found.noisy]
    ['5/4', '3/2', '5/4']
    >>> [str(count.privacy_loss) for count in found.noise_free]
    ['3/2', '2', '3/2']
    """
    check_records(counts)
    return CountLeakage(
        n_counted=counts.sum(axis=0),
        noisy=_measured(counts, alpha),
        noise_free=_measured(counts, Fraction(0)),
    )


def _measured(counts: Integers, alpha: Fraction) -> list[PrivacyAndUtility]:
    n_records = int(counts.sum())
    prior = Fraction(int(counts.sum(axis=1).max()), n_records)
    others = counts.sum(axis=1, keepdims=True) - counts
    posterior = _two_sides(others, counts, alpha)
    n_counted = counts.sum(axis=0)
    answers = np.stack([n_records - n_counted, 0 * n_counted])
    utility = _two_sides(answers, np.stack([0 * n_counted, n_counted]), alpha)
    total = n_records * (alpha.numerator + alpha.denominator)
    return [
        PrivacyAndUtility(prior, Fraction(p, total), Fraction(u, total), Fraction(0))
        for p, u in zip(posterior, utility, strict=True)
    ]


def _two_sides(others: Integers, counted: Integers, alpha: Fraction) -> list[int]:
    """Return the best guess's weight of each column, up to the count and above it."""
    a, b = alpha.numerator, alpha.denominator
    rows: tuple[AnyIntegers, AnyIntegers] = others, counted
    if (a + b) * int((others + counted).max()) >= MOST:
        rows = others.astype(object), counted.astype(object)
    up_to_c = (b * rows[0] + a * rows[1]).max(axis=0)
    above_c = (a * rows[0] + b * rows[1]).max(axis=0)
    found: list[int] = (up_to_c + above_c).tolist()
    return found
