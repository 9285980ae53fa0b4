"""How many links are right, and whether chances say so themselves."""

from dataclasses import dataclass

LIKELY, CERTAIN, N_BINS = 0.5, 0.99, 10
"""The chance from which a pair is called a link, from which one is certain; bins."""

MOST_EXCESS = 0.1
"""Pairs that agree beyond what is expected, as a share of the expected links, above
which these are in doubt."""


@dataclass(frozen=True)
class Quality:
    """Links called by the method, and those that are.

    Attributes
    ----------
    n_links
        Pairs of a chance of one half or more. Each record has at most one above it.
    n_true
        Persons in both releases, whether their records agree or not.
    n_right
        Links that are of one person.
    """

    n_links: int
    n_true: int
    n_right: int

    @property
    def precision(self) -> float | None:
        """Share of the links that are right; None without any."""
        return self.n_right / self.n_links if self.n_links else None

    @property
    def recall(self) -> float | None:
        """Share of the persons in both releases who are linked; None without any."""
        return self.n_right / self.n_true if self.n_true else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both; None if there is neither a link nor a person.

        >>> Quality(n_links=4, n_true=6, n_right=3).f1
        0.6
        """
        whole = self.n_links + self.n_true
        return 2 * self.n_right / whole if whole else None


def bin_of(chance: float) -> int:
    """Return the bin of a chance, of ten of equal width; that of 1 is the last.

    >>> [bin_of(chance) for chance in (0.0, 0.1, 0.95, 1.0)]
    [0, 1, 9, 9]
    """
    return min(int(chance * N_BINS), N_BINS - 1)
