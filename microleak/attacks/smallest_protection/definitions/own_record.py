"""What a person's own record adds to the inference from a node, and its bounds.

The target is one of n records at random. With its QIDs as the node tells them the best
guess is right with the posterior p (Nunes 4.12); without any of them, with the prior.
From all records but the target's it is right with the success of others o: it is the
most frequent value of the others in the block, or, where nobody else is there, that of
all others. What only the own record adds is

    own record = p - max(prior, o) = min(p - prior, p - o)

It is not monotone: where a finer node tells the value of everybody in large blocks, the
own record adds nothing to what others teach. But p is monotone, so at a node and at all
coarser ones the own record adds at most p - prior. And each block adds to p - o what
others miss of it, never less than 0; somebody alone in their block is alone at all
finer nodes, too. So at these the own record adds at least the smaller of p - prior and
of what others miss of those alone.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.attacks.smallest_protection.kernels.left_out import (
    ALONE_MODAL,
    ALONE_OTHER,
    BY_CHOICES,
)
from microleak.base.arrays import Integers


@dataclass(frozen=True)
class Whole:
    """A sensitive attribute in the whole table."""

    n_records: int
    n_modal: int
    """All records, and those with its most frequent value."""
    choices: int
    """Most frequent values without one of these records; 0 if its value is none of them
    (`microleak.kernels.kinds.choices_of`)."""

    @property
    def right_alone(self) -> Fraction:
        """Chance to guess from all others somebody alone, with that value."""
        return Fraction(1, self.choices) if self.choices else Fraction(0)


def own_record(whole: Whole, counts: Integers) -> Fraction:
    """Return what the own record adds at a node, in [0, 1].

    Parameters
    ----------
    whole
        The attribute in the whole table.
    counts
        Counts of the node (`kernels.left_out.left_out`).

    Examples
    --------
    Five of ten are ill. In a block of five three of them, in one of four two, and
    somebody healthy is alone: 6 guesses are right, 3/2 from others alone, and 5 before.

    >>> own_record(Whole(10, 5, 0), np.array([0, 1, 2, 0, 3]))
    Fraction(1, 10)
    """
    right = int(counts.sum())
    by_choices = counts[BY_CHOICES:]
    of_others = whole.right_alone * int(counts[ALONE_MODAL]) + sum(
        (
            Fraction(int(by_choices[n]), n)
            for n in np.flatnonzero(by_choices).tolist()
            if n
        ),
        Fraction(0),
    )
    return (right - max(Fraction(whole.n_modal), of_others)) / whole.n_records


def most_of_coarser(whole: Whole, n_right: int) -> Fraction:
    """Return the most that it adds at a node with so many right guesses, or coarser."""
    return Fraction(n_right - whole.n_modal, whole.n_records)


def least_of_finer(whole: Whole, counts: Integers) -> Fraction:
    """Return the least that it adds at a node and at all finer ones.

    >>> least_of_finer(Whole(10, 5, 0), np.array([0, 1, 2, 0, 3]))
    Fraction(1, 10)
    """
    missed = (1 - whole.right_alone) * int(counts[ALONE_MODAL])
    missed += int(counts[ALONE_OTHER])
    gained = int(counts.sum()) - whole.n_modal
    return min(Fraction(gained), missed) / whole.n_records
