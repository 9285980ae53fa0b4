"""What links of records tell together with the values of both: sums and best guesses.

Blocks whose QIDs may be the same are a group. Of a block, chances of pairs of rows
become those of each focal row to have certain values in the auxiliary release; these
are added up by guess, and the best one of all of a group that are alike to the
adversary counts.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.attacks.linkage.kernels.matching import Blocks
from microleak.base.arrays import BitWords, Floats, Integers


@dataclass(frozen=True)
class GuessedTogether:
    """Focal records of a bucket that are guessed together, sorted by group."""

    row: Integers
    block: Integers
    """The row of each class, by which its chances are, and its block."""
    known: Integers  # Where classes of the same group and QIDs begin, and the end
    guess: Integers  # Where classes begin that are the same guess, and the end
    weight: Floats  # Records that count: 1 for re-identification
    qids: BitWords
    value: Integers
    """The QIDs, and the number of the guess."""


@dataclass(frozen=True)
class Panels:
    """What the auxiliary records of a bucket's blocks say."""

    first: Integers  # Where the entries of each block begin, and the end
    row: Integers
    place: Integers
    n: Integers
    """Of each entry the auxiliary row, its QIDs' place among those of the group, and
    its records."""
    group: Integers  # The group of each block
    first_qids: Integers
    qids: BitWords
    """Where the QIDs of each group begin; first those of a missing record."""


def best_in_groups(
    blocks: Blocks, chances: Floats, panels: Panels, classes: GuessedTogether
) -> float:
    """Return the sum of the best guesses, over all that may be known of a group.

    No two blocks of a group have the same QIDs. Time is that of the pairs of a class
    and an entry of its block.
    """
    widths = np.diff(panels.first_qids)
    sums = np.zeros((2, int(widths.max(initial=0))))
    arrays = _arrays(blocks, chances)
    return float(
        _best_in_groups(arrays, _of_panels(panels), _of_classes(classes), sums)
    )


def spread(
    blocks: Blocks, chances: Floats, panels: Panels, classes: GuessedTogether
) -> tuple[Integers, Integers, Floats]:
    """Return the first class of each guess, what may be known, and the chance of both.

    What may be known is a place among `panels.qids`.
    """
    guesses = classes.guess[:-1]
    group = panels.group[classes.block[guesses]]
    n_each = np.diff(panels.first_qids)[group]
    chance = np.zeros(int(n_each.sum()))
    place = np.arange(len(chance))
    place += np.repeat(panels.first_qids[group] - np.cumsum(n_each) + n_each, n_each)
    arrays = _arrays(blocks, chances)
    _spread(arrays, _of_panels(panels), _of_classes(classes), n_each, chance)
    return np.repeat(guesses, n_each), place, chance


def _arrays(blocks: Blocks, chances: Floats) -> tuple[NDArray[np.number], ...]:
    first_pair = blocks.first_pair
    return blocks.first_focal, blocks.first_auxiliary, first_pair, chances


def _of_panels(panels: Panels) -> tuple[Integers, ...]:
    return panels.first, panels.row, panels.place, panels.n


def _of_classes(classes: GuessedTogether) -> tuple[NDArray[np.number], ...]:
    return classes.row, classes.block, classes.known, classes.guess, classes.weight


@njit(cache=True, nogil=True)
def _add_class(each, arrays, panels, classes, found):
    first_focal, first_auxiliary, first_pair, chances = arrays
    first, row, place, n = panels
    k, weight = classes[1][each], classes[4][each]
    width = first_auxiliary[k + 1] - first_auxiliary[k]
    # The pair of the class and of row 0, as rows of entries are numbered.
    pairs = first_pair[k] + (classes[0][each] - first_focal[k]) * width
    pairs -= first_auxiliary[k]
    left = 1.0
    for entry in range(first[k], first[k + 1]):
        chance = chances[pairs + row[entry]] * n[entry]
        found[place[entry]] += weight * chance
        left -= chance
    found[0] += weight * max(left, 0.0)


@njit(cache=True, nogil=True)
def _best_in_groups(arrays, panels, classes, sums):
    """Return the sum of the best guesses; `sums` is 0, and so it is left."""
    first, _, place, _ = panels
    _, block, known, guess, _ = classes
    of_guess, best = sums
    total = 0.0
    at_guess = 0
    for at_known in range(len(known) - 1):
        while guess[at_guess] < known[at_known + 1]:
            begin, end = guess[at_guess], guess[at_guess + 1]
            for each in range(begin, end):
                _add_class(each, arrays, panels, classes, of_guess)
            for each in range(begin, end):
                best[0] = max(best[0], of_guess[0])
                of_guess[0] = 0.0
                for entry in range(first[block[each]], first[block[each] + 1]):
                    z = place[entry]
                    best[z] = max(best[z], of_guess[z])
                    of_guess[z] = 0.0
            at_guess += 1
        for each in range(known[at_known], known[at_known + 1]):
            total += best[0]
            best[0] = 0.0
            for entry in range(first[block[each]], first[block[each] + 1]):
                total += best[place[entry]]
                best[place[entry]] = 0.0
    return total


@njit(cache=True, nogil=True)
def _spread(arrays, panels, classes, n_each, chance):
    """Note of each guess the chances of all that may be known with it."""
    guess = classes[3]
    end = 0
    for at_guess in range(len(n_each)):
        begin, end = end, end + n_each[at_guess]
        for each in range(guess[at_guess], guess[at_guess + 1]):
            _add_class(each, arrays, panels, classes, chance[begin:end])
