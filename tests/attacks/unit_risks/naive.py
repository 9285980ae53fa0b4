"""What units tell and risk, record by record, as definitions say it."""

from collections import Counter
from fractions import Fraction
from itertools import combinations


def lists_of(rows, unit, of, where=None, others=False):
    """Return each record's list of members as a multiset of tuples."""
    found = []
    for i in range(len(rows)):
        members = Counter(
            tuple(other[name] for name in of)
            for j, other in enumerate(rows)
            if _same_unit(i, j, rows, unit)
            and all(other[name] in kept for name, kept in (where or {}).items())
            and not (others and i == j)
        )
        found.append(frozenset(members.items()))
    return found


def _same_unit(i, j, rows, unit):
    return i == j or (rows[i][unit] is not None and rows[i][unit] == rows[j][unit])


def risks(rows, unit, qids, sensitive):
    """Return what the tables have of all units, by the names of the QIDs known."""
    every = range(len(rows))
    counted = [i for i in every if rows[i][unit] is not None]
    units = [[j for j in every if _same_unit(i, j, rows, unit)] for i in every]
    values = [row[sensitive] for row in rows]
    first = sorted(set(values), key=lambda value: (value is not None, value or ""))
    usual = max(first, key=values.count)

    def is_rarer(value):
        return value not in (None, usual)

    found, loo = {}, {}
    for size in range(len(qids) + 1):
        for names in combinations(qids, size):
            keys = [tuple(row[name] for name in names) for row in rows]
            blocks = [[j for j in every if keys[j] == mine] for mine in keys]
            pairs = [*zip(blocks, units, strict=True)]
            others = [[j for j in block if j not in own] for block, own in pairs]
            elsewhere = [[j for j in every if j not in own] for own in units]
            is_found = [i in counted and not o for i, o in enumerate(others)]
            is_certain = [
                i in counted and len({values[j] for j in b}) == 1
                for i, b in enumerate(blocks)
            ]
            guesses = [o or e for o, e in zip(others, elsewhere, strict=True)]
            loo[names] = [_right(guesses[i], values, i) for i in counted]
            found[names] = {
                "n_found": sum(is_found),
                "n_units_found": len(
                    {tuple(u) for u, each in zip(units, is_found, strict=True) if each}
                ),
                "n_read": len(
                    {
                        j
                        for own, each in zip(units, is_found, strict=True)
                        for j in own * each
                    }
                ),
                "n_certain": sum(is_certain),
                "n_certain_others": sum(
                    c and bool(o) for c, o in zip(is_certain, others, strict=True)
                ),
                "n_rarer": sum(is_rarer(values[i]) for i in counted),
                "n_certain_rarer": sum(
                    c and is_rarer(v) for c, v in zip(is_certain, values, strict=True)
                ),
                "prior_prob": _mean([_right(every, values, i) for i in counted]),
                "n_without": len(rows) - len(counted),
                "posterior_prob": _mean(
                    [_right(blocks[i], values, i) for i in counted]
                ),
                "posterior_loo": max(
                    _mean(right) for known, right in loo.items() if {*known} <= {*names}
                ),
            }
    return found


def _mean(each):
    return float(sum(each, Fraction(0)) / len(each))


def _right(block, values, i):
    """Return the chance that the most frequent value of a block is the record's."""
    counts = Counter(values[j] for j in block)
    most = max(counts.values(), default=0)
    best = [value for value, n in counts.items() if n == most]
    return Fraction(values[i] in best, max(len(best), 1))
