"""Which published records a target may be, and how much each is believed in."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.known_protection.chances import Ways, face_value, weights_by
from microleak.attacks.known_protection.definitions.known_success import (
    fitted,
    likelihoods,
)
from microleak.attacks.known_protection.releases import Releases
from microleak.base.arrays import Floats, Integers


@dataclass(frozen=True)
class Beliefs:
    """What is believed by the QIDs of a target."""

    n_of_t: Integers  # Records before that have each t
    # Pairs of true QIDs and published ones that are in the protected release, with
    # their likelihood
    t: Integers
    z: Integers
    weight: Floats
    size: Integers  # Records of each z in the protected release
    place: Integers  # The z of each of its records
    is_sampled: bool  # Whether records were left out by a sample

    @cached_property
    def total(self) -> Floats:
        """Sum of all weights by t."""
        return self.there + self.absent

    @cached_property
    def there(self) -> Floats:
        """Sum of the weights of all protected records by t."""
        n = len(self.n_of_t)
        return weights_by(self.t, self.weight * self.size[self.z], n)

    @cached_property
    def absent(self) -> Floats:
        """The weight of not being there by t: what of those with t was not drawn."""
        if not self.is_sampled:
            return np.zeros(len(self.n_of_t))
        left: Floats = np.maximum(self.n_of_t.sum() - self.there, 0.0)
        return left

    def share(self, weights: Floats) -> Floats:
        """Return weights by t as beliefs; 0 where nothing is possible."""
        found: Floats = weights / np.where(self.total > 0, self.total, 1.0)
        return found


def beliefs_by(
    releases: Releases, rows: Ways, true: tuple[Integers, Integers], qids: Sequence[str]
) -> tuple[Beliefs, Integers]:
    """Return beliefs, and the z that each t has at face value, -1 if there is none."""
    t, n_of_t = true
    names = [name for name in qids if name in releases.after]
    ways = releases.published(rows, names)
    n, m = releases.n_records, releases.n_protected
    taken = face_value(rows, releases.analysis.recipe)
    place, z, face_z = releases.numbered(names, ways, taken)
    n_z = 1 + max(int(each.max()) for each in (place, z, face_z))
    size = np.bincount(place, minlength=n_z)
    # Several rows may have one t, and several ways of theirs one z.
    both = t[ways.row] * n_z + z
    pair, where = np.unique(both, return_inverse=True)
    expected = weights_by(where, ways.expected, len(pair))
    of_t, of_z = pair // n_z, pair % n_z
    is_there = size[of_z] > 0
    if m == n and any(step.suppress for step in releases.analysis.steps):
        # Which cells were suppressed is not drawn: what is known are both sums.
        pairs = of_t[is_there], of_z[is_there]
        expected[is_there] = fitted(expected[is_there], *pairs, n_of_t, size)
        expected[~is_there] = 0.0
    weight = likelihoods(expected, of_t, of_z, n_of_t)
    is_there &= weight > 0
    face = np.full(len(n_of_t), -1)
    face[t] = np.where(size[face_z] > 0, face_z, -1)
    possible = of_t[is_there], of_z[is_there], weight[is_there]
    beliefs = Beliefs(n_of_t, *possible, size, place, is_sampled=m < n)
    is_made = np.zeros(n_z, dtype=bool)
    is_made[beliefs.z] = True
    releases.check_possible(int(size[~is_made].sum()))
    return beliefs, face


def mean(of_t: NDArray[Any], n_of_t: Integers) -> float:
    """Return the mean over all records of a number by t."""
    return float((of_t * n_of_t).sum() / n_of_t.sum())
