"""With which chance two records of a group are a pair of a swap, exactly.

Of n records m are chosen, those that nobody is like by the target first, all else at
random (`protection.methods.drawn_pairs`). In each group the chosen ones are paired at
random; one that is left over is paired with one that was not chosen, if there is one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

NEGLIGIBLE = 1e-20
"""Share of the likeliest number below which others add nothing to a sum of floats."""

MOST_SAMPLED = 2_000
"""Records of a group up to which each number of them in a sample is weighed; of larger
ones their mean is."""

PairChances = tuple[float, float, float]
"""Of two records that are both alone by the target; of one that is and one that is not;
and of two that are not."""


@dataclass(frozen=True)
class SwapDrawing:
    """How many records are chosen."""

    n_before: int
    n_records: int  # Records among which is chosen
    n_alone: int  # Those of them that nobody is like by the target
    n_chosen: int  # Records that are chosen

    def chances(self, size: int, n_alone: int) -> PairChances:
        """Return the chances of two records of a group to be a pair.

        Two of four are chosen, and nobody is alone: each of three is as likely.

        >>> SwapDrawing(4, 4, 0, 2).chances(4, 0)[2] * 6
        1.0
        """
        if self.n_before == self.n_records:
            return self._of_all(size, n_alone)
        if self.n_records < 2:
            return 0.0, 0.0, 0.0
        both = (self.n_records - 1) / (self.n_before - 1)
        others = self.n_before - 2, size - 2, self.n_records - 2
        if size > MOST_SAMPLED:
            mean = round(others[1] * others[2] / max(others[0], 1))
            return 0.0, 0.0, both * self._of_all(2 + mean, 0)[2]
        found = sum(p * self._of_all(2 + k, 0)[2] for k, p in drawn(*others))
        return 0.0, 0.0, both * found

    def _of_all(self, size: int, n_alone: int) -> PairChances:
        others = size - n_alone
        alike = mixed = apart = 0.0
        for (a, o), p in self._chosen(size, n_alone):
            c = a + o
            within = p / (c if c % 2 else c - 1) if c else 0.0
            beside = p / (c * (size - c)) if c % 2 and c < size else 0.0
            alike += a * (a - 1) * within + 2 * a * (n_alone - a) * beside
            mixed += a * o * within
            mixed += (a * (others - o) + (n_alone - a) * o) * beside
            apart += o * (o - 1) * within + 2 * o * (others - o) * beside
        return (
            alike / max(n_alone * (n_alone - 1), 1),
            mixed / max(n_alone * others, 1),
            apart / max(others * (others - 1), 1),
        )

    def _chosen(
        self, size: int, n_alone: int
    ) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield how many alone and how many other records are chosen, with chances."""
        if self.n_alone >= self.n_chosen and self.n_alone:
            for k, p in drawn(self.n_alone, n_alone, self.n_chosen):
                yield (k, 0), p
            return
        left = self.n_records - self.n_alone, self.n_chosen - self.n_alone
        for k, p in drawn(left[0], size - n_alone, left[1]):
            yield (n_alone, k), p


def drawn(n: int, n_marked: int, n_drawn: int) -> Iterator[tuple[int, float]]:
    """Yield how many of some records are among those drawn, with chances.

    Hypergeometric: of n records, as many marked and as many drawn, without replacement.

    >>> [(k, round(p, 3)) for k, p in drawn(4, 2, 2)]
    [(0, 0.167), (1, 0.667), (2, 0.167)]
    """
    least, most = max(0, n_drawn + n_marked - n), min(n_marked, n_drawn)
    middle = (n_drawn + 1) * (n_marked + 1) // (n + 2)
    start = min(max(middle, least), most)

    def rising(k: int) -> float:
        """Return how much likelier k + 1 is than k."""
        above = (n_marked - k) * (n_drawn - k)
        return above / ((k + 1) * (n - n_marked - n_drawn + k + 1))

    found = {start: 1.0}
    k = start
    while k < most and found[k] > NEGLIGIBLE:
        found[k + 1] = found[k] * rising(k)
        k += 1
    k = start
    while k > least and found[k] > NEGLIGIBLE:
        found[k - 1] = found[k] / rising(k - 1)
        k -= 1
    total = sum(found.values())
    for k in sorted(found):
        yield k, found[k] / total
