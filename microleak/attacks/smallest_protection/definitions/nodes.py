"""Which nodes of a lattice are decided by others, and which of them are left.

A node says on which level each QID is, 0 the finest. One is *coarser* than another if
it is on no finer level in any QID. A target is *monotone* if with a node every coarser
one keeps to it: so are bounds of k, of the distinct values of a block, and of the
shares alone, certain or guessed right, as blocks that are joined have more records and
values, and no guess gets better (Samarati 2001; Machanavajjhala and others 2007).
"""

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
"""One flag a node, an axis a QID, its levels ascending."""


def coarser(nodes: Flags) -> Flags:
    """Return all nodes that are some of these or coarser.

    >>> coarser(np.array([[False, True], [False, False]])).tolist()
    [[False, True], [False, True]]
    """
    found = nodes
    for axis in range(nodes.ndim):
        found = np.logical_or.accumulate(found, axis)
    return found


def finer(nodes: Flags) -> Flags:
    """Return all nodes that are some of these or finer.

    >>> finer(np.array([[False, True], [False, False]])).tolist()
    [[True, True], [False, False]]
    """
    return np.flip(coarser(np.flip(nodes)))


def minimal(nodes: Flags) -> Flags:
    """Return those of some nodes than which no other of them is finer.

    Of a set that has with two nodes every one between.

    >>> minimal(np.array([[False, True], [True, True]])).tolist()
    [[False, True], [True, False]]
    """
    found = nodes.copy()
    for axis in range(nodes.ndim):
        ahead = [slice(None)] * nodes.ndim
        behind = [slice(None)] * nodes.ndim
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        found[tuple(ahead)] &= ~nodes[tuple(behind)]
    return found


def maximal(nodes: Flags) -> Flags:
    """Return those of some nodes than which no other of them is coarser.

    Of a set that has with two nodes every one between.

    >>> maximal(np.array([[True, True], [True, False]])).tolist()
    [[False, True], [True, False]]
    """
    return np.flip(minimal(np.flip(nodes)))


def not_dominated(risk: NDArray[np.int64], loss: NDArray[np.float64]) -> Flags:
    """Return which points no other has less of one and no more of the other than.

    Of points that are alike in both the first is returned.

    Parameters
    ----------
    risk, loss
        Of each point; shape (n_points,).

    Examples
    --------
    >>> not_dominated(np.array([5, 3, 3, 1]), np.array([0, 0.5, 0.4, 0.9])).tolist()
    [True, False, True, True]
    """
    order = np.lexsort((risk, loss))
    least = np.minimum.accumulate(risk[order])
    is_best = np.ones(len(order), dtype=np.bool_)
    is_best[1:] = risk[order][1:] < least[:-1]
    found = np.zeros(len(order), dtype=np.bool_)
    found[order] = is_best
    return found
