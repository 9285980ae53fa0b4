"""The guess of someone who knows no tables, where several are as frequent."""

from itertools import permutations

import numpy as np

from microleak.attacks.table_rebuilding.definitions.modal_guess import modal_guess


def test_no_order_of_values_decides_how_many_a_guess_finds(truth):
    """The first axis is known; records alone with it are found if they are guessed."""
    truth, found = np.array(truth), set()
    for order in permutations(range(truth.shape[1])):
        mixed = truth[:, list(order)]
        both = np.minimum(modal_guess(mixed, known=[0]), mixed)
        is_alone = mixed.sum(axis=1) == 1
        found.add((int(both.sum()), int(both[is_alone].sum())))
    assert len(found) == 1
