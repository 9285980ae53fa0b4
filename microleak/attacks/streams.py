"""Independent streams of random numbers, from one seed."""

from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """What random numbers are for; another purpose gets another number."""

    DATABASE = 0
    SUBSETS = 1
    NOISE = 2
    OUTLIERS = 3
    PLACES = 4
    POINTS = 5


def stream(seed: int, purpose: Stream, number: int = 0) -> np.random.Generator:
    """Return the generator of one numbered part of a purpose.

    Parts can be drawn in any order, again, and on any machine: PCG64 seeded by
    (seed, purpose, number).
    """
    keys = np.random.SeedSequence(seed, spawn_key=(int(purpose), number))
    return np.random.Generator(np.random.PCG64(keys))
