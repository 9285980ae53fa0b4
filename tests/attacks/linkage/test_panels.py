"""What links tell together with values, of blocks that can be counted by hand."""

import numpy as np
import pytest

from microleak.attacks.linkage.kernels.matching import Blocks
from microleak.attacks.linkage.kernels.panels import (
    GuessedTogether,
    Panels,
    best_in_groups,
    spread,
)


def whole(*numbers):
    return np.array(numbers, dtype=np.int64)


def test_the_chances_of_each_row_are_those_of_its_pairs():
    """Of a block of one row a side, and one of two, each a group of its own."""
    blocks = Blocks(whole(0, 1, 3), whole(0, 1, 3), whole(1, 1, 1), whole(1, 1, 1))
    chances = np.array([0.4, 0.5, 0.25, 0.125, 0.75])
    words = np.zeros((5, 1), dtype=np.uint64)
    places = whole(0, 1, 3), whole(0, 1, 2), whole(1, 1, 2), whole(1, 1, 1)
    panels = Panels(*places, group=whole(0, 1), first_qids=whole(0, 2, 5), qids=words)
    classes = GuessedTogether(
        *(whole(0, 1, 2), whole(0, 1, 1), whole(0, 1, 3), whole(0, 1, 2, 3)),
        weight=np.ones(3),
        qids=words[:3],
        value=whole(0, 1, 2),
    )
    guess, place, chance = spread(blocks, chances, panels, classes)
    # Who is not linked has the QIDs of nobody, which come first.
    assert guess.tolist() == [0, 0, 1, 1, 1, 2, 2, 2]
    assert place.tolist() == [0, 1, 2, 3, 4, 2, 3, 4]
    assert chance.tolist() == pytest.approx(
        [0.6, 0.4, 0.25, 0.5, 0.25, 0.125, 0.125, 0.75]
    )
    # Both rows of the second block may be guessed wherever one has the QIDs.
    best = (0.6 + 0.4) + (0.25 + 0.5 + 0.75)
    assert best_in_groups(blocks, chances, panels, classes) == pytest.approx(best)
