"""Overlap of a population and a sample given as records, for tests."""

from fractions import Fraction

import numpy as np

from microleak.definitions.overlap import Overlap, overlap
from microleak.kernels.records import AttributeCodes
from microleak.records.profile_file import profiles_of
from tests.property.tables import attribute
from tests.walking import walked

WOMAN = ("SP", "F", "31-40")
MG_WOMAN = ("MG", "F", "21-30")
RJ_MAN = ("RJ", "M", "21-30")
SP_MAN = ("SP", "M", "31-40")
POPULATION = [WOMAN, *[MG_WOMAN] * 2, *[RJ_MAN] * 3, *[SP_MAN] * 4]
SAMPLE = [WOMAN, MG_WOMAN, *[RJ_MAN] * 2]
"""The leading example of Rodrigues, section 3.4."""


def overlap_of(population, sample):
    """Walk the records of both, tuples of QID values, those of the sample marked."""
    qids = [attribute(column) for column in zip(*population, *sample, strict=True)]
    is_sampled = np.repeat(np.uint8([0, 1]), [len(population), len(sample)])
    whole = (1 << len(qids)) - 1
    found = walked(qids, [AttributeCodes(is_sampled, 2, is_marked=True)], [whole])
    return overlap(profiles_of(found[whole])[0])


def blocks(*kinds):
    """Overlap from (records of the population, of the sample, number of blocks)."""
    return Overlap(*np.array(kinds, dtype=np.int64).T)


def mean(distribution):
    """Mean chance of the persons of a distribution, exactly."""
    three = distribution.numerator, distribution.denominator, distribution.n_records
    kinds = list(zip(*(array.tolist() for array in three), strict=True))
    total = sum(Fraction(num, den) * n for num, den, n in kinds)
    return Fraction(total, sum(n for _, _, n in kinds))
