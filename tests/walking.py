"""The walk over attributes in memory, for tests."""

from microleak.kernels.records import in_memory
from microleak.kernels.walk import Work, walk_subsets


def walked(qids, sensitive, subsets, **work):
    """Profile of each subset, from attributes of equal length."""
    return dict(walk_subsets(in_memory(qids, sensitive), subsets, Work(**work)))
