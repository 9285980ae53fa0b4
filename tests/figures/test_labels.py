"""Labels that neither cover one another nor leave the axis."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.figures import labels

SHARES = st.floats(0, 1)


@given(st.lists(SHARES, min_size=1, max_size=6).map(sorted), st.floats(0.01, 0.5))
def test_labels_are_spread_by_the_least_squares(places, gap):
    new = np.array(labels.spread(places, gap))
    assert (np.diff(new) >= gap - 1e-9).all()
    # No other sequence with the gaps is nearer: the one between is not.
    spread_out = np.mean(places) + gap * (
        np.arange(len(places)) - (len(places) - 1) / 2
    )
    for other in (spread_out, places[0] + (gap + 1) * np.arange(len(places))):
        nearer = new + 0.01 * (other - new)
        if (np.diff(nearer) >= gap - 1e-9).all():
            assert np.sum((new - places) ** 2) <= np.sum((nearer - places) ** 2) + 1e-9


def test_places_that_are_apart_stay():
    assert labels.spread([0.1, 0.5, 0.9], 0.2) == pytest.approx([0.1, 0.5, 0.9])


def test_no_label_covers_another_or_a_point_where_there_is_room():
    generator = np.random.default_rng(27)
    points = generator.uniform((10, 10), (300, 185), size=(27, 2))
    centres = points + labels.beside(points, (13, 9), (310, 195))
    for a, b in combinations(centres, 2):
        assert (abs(a - b) >= np.array((13, 9)) - 1e-6).any()
    for centre in centres:
        assert (abs(points - centre) >= np.array((6.5, 4.5))).any(axis=1).all()


def test_two_states_on_one_point_have_labels_on_either_side():
    offsets = labels.beside(np.array([[50.0, 50.0]] * 2), (13, 9), (100, 100))
    assert offsets[:, 1].tolist() == [0, 0]
    assert offsets[0, 0] == -offsets[1, 0] != 0


def test_a_label_does_not_cover_the_next_point():
    offsets = labels.beside(np.array([[50.0, 50.0], [64.0, 50.0]]), (13, 9), (100, 100))
    assert offsets[0, 0] < 0 < offsets[1, 0]


def test_a_label_does_not_leave_the_axis():
    (offset,) = labels.beside(np.array([[98.0, 50.0]]), (13, 9), (100, 100))
    assert offset[0] < 0
