"""Labels that neither cover one another nor leave the axis."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from microleak.figures import marks
from microleak.figures.marks import PointLabel, write_labels
from tests.examples import examples

SHARES = st.floats(0, 1)


@given(st.lists(SHARES, min_size=1, max_size=6).map(sorted), st.floats(0.01, 0.5))
def test_labels_are_spread_by_the_least_squares(places, gap):
    new = np.array(marks.spread(places, gap))
    assert (np.diff(new) >= gap - 1e-9).all()
    # No other sequence with the gaps is nearer: the one between is not.
    spread_out = np.mean(places) + gap * (
        np.arange(len(places)) - (len(places) - 1) / 2
    )
    for other in (spread_out, places[0] + (gap + 1) * np.arange(len(places))):
        nearer = new + 0.01 * (other - new)
        if (np.diff(nearer) >= gap - 1e-9).all():
            assert np.sum((new - places) ** 2) <= np.sum((nearer - places) ** 2) + 1e-9


def test_no_label_covers_another_or_a_point_where_there_is_room():
    generator = np.random.default_rng(27)
    points = generator.uniform((10, 10), (300, 185), size=(27, 2))
    centres = points + marks.beside(points, (13, 9), (310, 195))
    for a, b in combinations(centres, 2):
        assert (abs(a - b) >= np.array((13, 9)) - 1e-6).any()
    for centre in centres:
        assert (abs(points - centre) >= np.array((6.5, 4.5))).any(axis=1).all()


BARE = np.array([[64.0, 50.0]])


@pytest.mark.parametrize(
    ("points", "label", "bare", "across"),
    [
        ([[50, 50], [50, 50]], (13, 9), None, [-9.5, 9.5]),
        ([[50, 50], [64, 50]], (13, 9), None, [-9.5, 9.5]),
        ([[50, 50]], (13, 9), None, [9.5]),
        ([[50, 50]], (13, 9), BARE, [-9.5]),
        ([[50, 20], [50, 80]], [(13, 9), (40, 9)], None, [6.5 + 3, 20 + 3]),
        ([[98, 50]], (13, 9), None, [-9.5]),
    ],
    ids=["one point", "a next point", "alone", "a bare point", "widths", "an edge"],
)
def test_a_label_stands_beside_its_point_where_nothing_else_is(
    points, label, bare, across
):
    offsets = marks.beside(np.array(points, dtype=float), label, (100, 100), bare)
    assert offsets[:, 0].tolist() == across
    assert not offsets[:, 1].any()


def panel(xlim=(0, 1), ylim=(0, 1)):
    """A panel of shares, laid out at its size in a page."""
    axis = Figure((8, 5)).subplots()
    axis.set(xlim=xlim, ylim=ylim)
    return axis


def boxes(axis):
    axis.figure.draw_without_rendering()
    # Of the text alone, as a line from it to its point may cross anything.
    return [Text.get_window_extent(text) for text in axis.texts]


@examples(25)
@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=5))
def test_labels_of_a_few_points_cover_neither_each_other_nor_a_point(places):
    axis = panel((-0.2, 1.2), (-0.1, 1.1))
    named = [PointLabel(place, f"epsilon {n}") for n, place in enumerate(places)]
    write_labels(axis, named, places)
    drawn = boxes(axis)
    assert len(drawn) == len(places)
    assert not any(a.overlaps(b) for a, b in combinations(drawn, 2))
    for x, y in axis.transData.transform(places):
        assert not any(box.contains(x, y) for box in drawn)


def test_a_label_that_is_not_beside_its_point_has_a_line_to_it():
    axis = panel()
    write_labels(axis, [], [(0.5, 0.5)])
    assert not axis.texts
    crowd = [(0.5 + 0.02 * i, 0.5 + 0.03 * j) for i in range(-3, 4) for j in (-1, 0, 1)]
    write_labels(axis, [PointLabel((0.5, 0.5), "amid")], crowd)
    write_labels(axis, [PointLabel((0.1, 0.1), "alone")], [(0.1, 0.1)])
    assert [text.arrow_patch is not None for text in axis.texts] == [True, False]
