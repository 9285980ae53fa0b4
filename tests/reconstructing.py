"""Small reconstruction settings, and which databases they leave, by trying all."""

import itertools

import numpy as np

from microleak.attacks.reconstruction.definitions.noise import noise_law, public_answers
from microleak.attacks.reconstruction.definitions.subset_queries import (
    RandomSubsets,
    random_database,
)


def bits(*entries):
    return np.array(entries, dtype=np.uint8)


def setting(n, n_queries, law, bound, seed, **more):
    """A database and the answers to random queries of it."""
    database = random_database(n, seed)
    queries = RandomSubsets(n, n_queries, seed)
    return database, public_answers(
        queries, database, noise_law(law, bound, **more), seed
    )


def exact_answers(queries, database):
    return np.concatenate(list(queries.counts(database)))


def consistent(public):
    """Every database whose answers are within E of the public ones, as tuples."""
    return {
        candidate
        for candidate in itertools.product((0, 1), repeat=public.queries.n)
        if all(
            abs(exact_answers(public.queries, bits(*candidate)) - public.answers)
            <= public.bound
        )
    }
