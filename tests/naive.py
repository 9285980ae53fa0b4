"""The definitions spelled out record by record, slowly, for tests to compare with.

A table is a list of records, each a tuple of QID values; None is missing and
equal to itself, as everywhere in microleak.
"""

from collections import Counter, defaultdict
from fractions import Fraction


def blocks(records):
    """Indices of the records of each block, by the block's values."""
    found = defaultdict(list)
    for i, record in enumerate(records):
        found[tuple(record)].append(i)
    return found


def posterior_det_reidentification(records):
    alone = sum(len(block) == 1 for block in blocks(records).values())
    return Fraction(alone, len(records))


def posterior_prob_reidentification(records):
    sizes = Counter(tuple(record) for record in records)
    return sum(Fraction(1, len(records) * sizes[tuple(r)]) for r in records)


def posterior_det_inference(records, sensitive):
    certain = 0
    for block in blocks(records).values():
        if len({sensitive[i] for i in block}) == 1:
            certain += len(block)
    return Fraction(certain, len(records))


def individual_success(records, sensitive):
    """Modal count over the size of each record's block (Nunes, Figures 4.6, 4.10)."""
    found = {}
    for block in blocks(records).values():
        modal = max(Counter(sensitive[i] for i in block).values())
        found |= dict.fromkeys(block, Fraction(modal, len(block)))
    return [found[i] for i in range(len(records))]


def success(records, sensitive):
    """Success of each record with ties (Gonze, Eq. 2)."""
    found = {}
    for block in blocks(records).values():
        counts = Counter(sensitive[i] for i in block)
        most = [v for v, n in counts.items() if n == max(counts.values())]
        for i in block:
            found[i] = Fraction(1, len(most)) if sensitive[i] in most else Fraction(0)
    return [found[i] for i in range(len(records))]


def posterior_prob_inference(records, sensitive):
    """Expected success over the records (Gonze, Eq. 3)."""
    return sum(success(records, sensitive)) / len(records)


def kinds_of_blocks(records, sensitive):
    """Number of blocks by (size, modal count, number of distinct values)."""
    found = Counter()
    for block in blocks(records).values():
        counts = Counter(sensitive[i] for i in block)
        found[len(block), max(counts.values()), len(counts)] += 1
    return found
