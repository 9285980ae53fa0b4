"""How well a sensitive and a useful attribute are inferred from each other.

Nunes' Example 33 chooses four pairs by this: highly correlated (A), lowly correlated
(B), the sensitive attribute inferable from the useful one (C), and the other way
round (D). The paper has no measure for it; ours is the Bayes vulnerability that all
its definitions use: the share of the best guess's errors that knowing the other
attribute takes away. It is the lambda of Goodman and Kruskal (1954).
"""

from dataclasses import dataclass
from fractions import Fraction

from microleak.attacks.mechanism.definitions.attack_context import check_records
from microleak.definitions.profile import Counts

SCENARIOS = {
    "A": "highly-correlated",
    "B": "lowly-correlated",
    "C": "sensitive-inferrable-from-useful",
    "D": "useful-inferrable-from-sensitive",
}
"""Nunes' words for the four scenarios of Example 33."""

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


def dependence(counts: Counts) -> Dependence:
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


def _inference(counts: Counts) -> Inference:
    """Inference of the rows' attribute from the columns'."""
    n_records = int(counts.sum())
    return Inference(
        prior=Fraction(int(counts.sum(axis=1).max()), n_records),
        posterior=Fraction(int(counts.max(axis=0).sum()), n_records),
    )
