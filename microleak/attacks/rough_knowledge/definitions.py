"""Success of re-identification and inference by Bayes, where QIDs are known roughly.

The target is one of n records r at random, whose QIDs are x(r). The adversary knows y,
of which each QID is drawn by a channel of its own, so that P(y | x) is the product of
P_q(y_q | x_q): a value near the true one, one that another would say, or none
(unknown). It knows the channels, and believes by Bayes in proportion to P(y | x(r)), so
that

    re-identification: 1/n sum over y of max over r of P(y | x(r))
    inference: 1/n sum over y of max over s of sum over r with s of P(y | x(r))

are the chances to be right. It is certain where y is possible for one record only or,
for inference, for records of one value only: a claim that holds whenever it is made. An
adversary who takes y at face value claims certainty where one record has exactly these
values, or those of one sensitive value: a claim that may be wrong. With channels that
change nothing all of this is that of Nunes' attacks (Eq. 4.2, 4.5, 4.8 and 4.12).
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class RoughSuccess:
    """Success of one attack with one set of QIDs, of a target at random."""

    prior_prob: Fraction
    """Chance to be right without any QID."""
    posterior_det: Fraction
    posterior_prob: Fraction
    """Chance that the adversary is certain, and that its best guess is right."""
    posterior_det_exact: Fraction
    posterior_prob_exact: Fraction
    """The same where all QIDs are known exactly."""
    claimed: Fraction
    claimed_right: Fraction
    """Chance that an adversary who takes what it knows at face value claims to be
    certain, and that it does so and is right."""

    @property
    def claims_that_hold(self) -> Fraction | None:
        """Share of the claims at face value that are right; None without a claim."""
        return self.claimed_right / self.claimed if self.claimed else None
