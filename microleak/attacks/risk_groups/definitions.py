"""Success of the attacks on a random member of a group, and of two groups compared.

The adversary attacks all records as ever (Nunes, chapter 4), and knows of nobody which
group they are of, unless it is one of the QIDs. What is asked is of whom it is right:
success is averaged over the members of the group alone. Weighted by their members, the
successes of all groups average to that of the whole table.
"""

from dataclasses import dataclass
from fractions import Fraction
from operator import add, sub


@dataclass(frozen=True)
class GroupRisk:
    """Success of one attack with one set of QIDs on the members of a group."""

    n_members: int
    """Members, at least one."""
    n_certain: int
    """Those of whom the adversary is certain: alone in their block or, for inference,
    in blocks of one value."""
    prior_right: Fraction
    right: Fraction
    """How many the best guess is expected to be right about, without and with QIDs: the
    sum over the members of 1 divided by the records of their block or, for inference,
    by the most frequent values of it, if they have one of these."""

    @property
    def posterior_det(self) -> Fraction:
        """Share of the members of whom the adversary is certain."""
        return Fraction(self.n_certain, self.n_members)

    @property
    def prior_prob(self) -> Fraction:
        """Chance to be right about a member without any QID."""
        return self.prior_right / self.n_members

    @property
    def posterior_prob(self) -> Fraction:
        """Chance to be right about a member with the QIDs."""
        return self.right / self.n_members

    @property
    def additive_leakage(self) -> Fraction:
        """posterior_prob minus prior_prob; negative for who is guessed worse."""
        return self.posterior_prob - self.prior_prob

    def __sub__(self, other: "GroupRisk") -> "GroupRisk":
        """Return the risk of all of this one but the other, which is part of it."""
        return GroupRisk(*map(sub, vars(self).values(), vars(other).values()))

    def __add__(self, other: "GroupRisk") -> "GroupRisk":
        """Return the risk of both groups together."""
        return GroupRisk(*map(add, vars(self).values(), vars(other).values()))


def risk_ratio(of_group: Fraction, of_others: Fraction) -> Fraction | None:
    """Return how many times as high a group's risk is as that of all others.

    None where the others have none.

    >>> risk_ratio(Fraction(1, 2), Fraction(1, 8))
    Fraction(4, 1)
    """
    return of_group / of_others if of_others else None
