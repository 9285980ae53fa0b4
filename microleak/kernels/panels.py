"""What links of records tell together with the values of both: sums and best guesses.

Of a block, chances of pairs of rows become those of each focal row to have certain
values in the auxiliary release; these are added up by guess, and the best one of all
that are alike to the adversary counts.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.matching import Blocks, Floats, Integers

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Classes:
    """Focal records of a bucket that are guessed together, sorted.

    Attributes
    ----------
    row
        The row of each class, by which its chances are.
    known
        Where classes of the same block and QIDs begin, and the end.
    guess
        Where classes begin that are the same guess, and the end.
    weight
        Records that count: 1 for re-identification.
    qids, value
        The QIDs, and the number of the guess.
    first
        Where each block begins among the classes, and the end.
    """

    row: Integers
    known: Integers
    guess: Integers
    weight: Floats
    qids: Words
    value: Integers
    first: Integers


@dataclass(frozen=True)
class Panels:
    """What the auxiliary records of a bucket's blocks say.

    Attributes
    ----------
    first
        Where the entries of each block begin, and the end.
    row, place, n
        Of each entry the auxiliary row, its QIDs' place among those of the block, and
        its records.
    first_qids, qids
        Where the QIDs of each block begin; first those of a missing record.
    """

    first: Integers
    row: Integers
    place: Integers
    n: Integers
    first_qids: Integers
    qids: Words


def best_in_blocks(
    blocks: Blocks, chances: Floats, panels: Panels, classes: Classes
) -> float:
    """Return the sum of the best guesses, over all that may be known of a block.

    Parameters
    ----------
    blocks
        Blocks, of which no two have the same QIDs.
    chances
        Of each pair of rows.
    panels, classes
        What auxiliary records say, and focal records that are guessed together.
    """
    arrays = _arrays(blocks)
    return float(_best_in_blocks(arrays, chances, _of(panels), _of(classes)))


def spread(
    blocks: Blocks, chances: Floats, panels: Panels, classes: Classes
) -> tuple[Integers, Integers, Floats]:
    """Return of each guess and all that may be known with it how likely both are.

    Returns
    -------
    tuple
        The first class of the guess, the place among `panels.qids`, and the sum of the
        chances of its records.
    """
    guesses = classes.guess[:-1]
    block = np.searchsorted(classes.first, guesses, side="right") - 1
    n_each = np.diff(panels.first_qids)[block]
    chance = np.zeros(int(n_each.sum()))
    place = np.zeros(len(chance), dtype=np.int64)
    arrays = _arrays(blocks)
    _spread(arrays, chances, _of(panels), _of(classes), (chance, place))
    return np.repeat(guesses, n_each), place, chance


def _arrays(blocks: Blocks) -> tuple[Integers, ...]:
    return (
        blocks.first_focal,
        blocks.first_auxiliary,
        blocks.first_pair,
        blocks.n_auxiliary,
    )


def _of(told: Panels | Classes) -> tuple[NDArray[np.number], ...]:
    if isinstance(told, Panels):
        return told.first, told.row, told.place, told.n, told.first_qids
    return told.first, told.known, told.guess, told.row, told.weight


@njit(cache=True, nogil=True)
def _chances_of_panels(k, arrays, chances, panels, found):
    """Find of each row of a block how likely it is to have which auxiliary QIDs."""
    first_focal, first_auxiliary, first_pair, n_auxiliary = arrays
    first, row, place, n, first_qids = panels
    width = first_auxiliary[k + 1] - first_auxiliary[k]
    for a in range(first_focal[k + 1] - first_focal[k]):
        pairs = first_pair[k] + a * width
        left = 1.0
        for b in range(width):
            left -= chances[pairs + b] * n_auxiliary[first_auxiliary[k] + b]
        found[a, : first_qids[k + 1] - first_qids[k]] = 0.0
        found[a, 0] = max(left, 0.0)
        for entry in range(first[k], first[k + 1]):
            b = row[entry] - first_auxiliary[k]
            found[a, place[entry]] += chances[pairs + b] * n[entry]


@njit(cache=True, nogil=True)
def _largest(first):
    most = 1
    for k in range(len(first) - 1):
        most = max(most, first[k + 1] - first[k])
    return most


@njit(cache=True, nogil=True)
def _best_in_blocks(arrays, chances, panels, classes):
    first_focal, first_qids = arrays[0], panels[4]
    first, known, guess, row, weight = classes
    of_rows = np.zeros((_largest(first_focal), _largest(first_qids)))
    of_guess, best = np.zeros(of_rows.shape[1]), np.zeros(of_rows.shape[1])
    total = 0.0
    at_known, at_guess = 0, 0
    for k in range(len(first_focal) - 1):
        _chances_of_panels(k, arrays, chances, panels, of_rows)
        width = first_qids[k + 1] - first_qids[k]
        while known[at_known] < first[k + 1]:
            best[:width] = 0.0
            while guess[at_guess] < known[at_known + 1]:
                of_guess[:width] = 0.0
                for each in range(guess[at_guess], guess[at_guess + 1]):
                    a = row[each] - first_focal[k]
                    for z in range(width):
                        of_guess[z] += weight[each] * of_rows[a, z]
                for z in range(width):
                    best[z] = max(best[z], of_guess[z])
                at_guess += 1
            total += best[:width].sum()
            at_known += 1
    return total


@njit(cache=True, nogil=True)
def _spread(arrays, chances, panels, classes, out):
    """Note of each guess the chance and the place of all that may be known with it."""
    first_focal, first_qids = arrays[0], panels[4]
    first, _, guess, row, weight = classes
    chance, place = out
    of_rows = np.zeros((_largest(first_focal), _largest(first_qids)))
    at_guess, at = 0, 0
    for k in range(len(first_focal) - 1):
        _chances_of_panels(k, arrays, chances, panels, of_rows)
        width = first_qids[k + 1] - first_qids[k]
        while guess[at_guess] < first[k + 1]:
            for each in range(guess[at_guess], guess[at_guess + 1]):
                a = row[each] - first_focal[k]
                for z in range(width):
                    chance[at + z] += weight[each] * of_rows[a, z]
            for z in range(width):
                place[at + z] = first_qids[k] + z
            at += width
            at_guess += 1
