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
    """Number of blocks by (size, modal count, number of values, choices)."""
    found = Counter()
    for block in blocks(records).values():
        values = [sensitive[i] for i in block]
        modal = max(Counter(values).values())
        found[len(block), modal, len({*values}), choices(values)] += 1
    return found


def choices(values):
    """Most frequent values of the others, if a most frequent one left out is such."""
    for i, value in enumerate(values):
        if values.count(value) == max(Counter(values).values()):
            others = most_frequent(values[:i] + values[i + 1 :])
            return len(others) if value in others else 0
    return 0


def most_frequent(values):
    counts = Counter(values)
    most = max(counts.values(), default=0)
    return {value for value, n in counts.items() if n == most}


def guessed_from_others(records, sensitive):
    """Mean success where each record in turn is removed, and guessed from the rest."""
    members = blocks(records)
    right = Fraction(0)
    for i, record in enumerate(records):
        others = [j for j in members[record] if j != i]
        others = others or [j for j in range(len(records)) if j != i]
        guesses = most_frequent([sensitive[j] for j in others])
        right += Fraction(1, len(guesses)) if sensitive[i] in guesses else 0
    return right / len(records)
