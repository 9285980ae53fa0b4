"""Nunes' chapter 6 spelled out over databases, slowly, for tests to compare with.

A database is a list of records (sensitive value, useful value); None is missing and
a value like any other. A mechanism is a function from the useful values of a
database to the chances of its reported counts.
"""

from collections import Counter
from fractions import Fraction

import numpy as np

from microleak.attacks.mechanism.definitions.attack_context import AttackContext


def context(records, domain, predicate):
    """Count the records for our definitions; `domain` orders the useful values."""
    sensitive = sorted({s for s, _ in records}, key=str)
    counts = np.zeros((len(sensitive), len(domain)), dtype=np.int64)
    for s, w in records:
        counts[sensitive.index(s), domain.index(w)] += 1
    return AttackContext(counts, np.array([predicate(w) for w in domain]))


def geometric(alpha, n):
    """Equation 6.14, case by case."""
    rows = []
    for i in range(n + 1):
        row = [(1 - alpha) / (1 + alpha) * alpha ** abs(i - j) for j in range(n + 1)]
        row[0] = 1 / (1 + alpha) * alpha**i
        row[n] = 1 / (1 + alpha) * alpha ** abs(i - n)
        rows.append(row)
    return rows


def oblivious(predicate, alpha):
    """Definition 30: noise on the real count of the database."""

    def reported(useful):
        real = sum(map(predicate, useful))
        return geometric(alpha, len(useful))[real]

    return reported


def local(predicate, domain, matrix):
    """Definition 31: noise on each record, by the recursion of Equation 6.11."""

    def answer(y):
        row = matrix[domain.index(y)]
        yes = sum(chance for w, chance in zip(domain, row, strict=True) if predicate(w))
        return [1 - yes, yes]

    def chance(useful, c):
        if c < 0 or c > len(useful):
            return Fraction(0)
        if not useful:
            return Fraction(1)
        *d, y = useful
        no, yes = answer(y)
        return yes * chance(d, c - 1) + no * chance(d, c)

    return lambda useful: [chance(useful, c) for c in range(len(useful) + 1)]


def joint(records, predicate, mechanism):
    """Chances of (sensitive value, real count, reported count) (Definition 27)."""
    found = Counter()
    useful = [w for _, w in records]
    for (s, w), times in Counter(records).items():
        extended = [*useful, w]
        real = sum(map(predicate, extended))
        for reported, chance in enumerate(mechanism(extended)):
            found[s, real, reported] += Fraction(times, len(records)) * chance
    return found


def prior_vul(both):
    """Equation 6.5."""
    return max(_sums(both, 0).values())


def post_vul(both):
    """Equation 6.4."""
    return _sum_of_largest(_sums(both, 0, 2))


def utility(both):
    """Equation 6.6."""
    return _sum_of_largest(_sums(both, 1, 2))


def _sums(both, *places):
    found = Counter()
    for key, chance in both.items():
        found[tuple(key[place] for place in places)] += chance
    return found


def _sum_of_largest(chances):
    largest = {}
    for (_, reported), chance in chances.items():
        largest[reported] = max(largest.get(reported, 0), chance)
    return sum(largest.values())
