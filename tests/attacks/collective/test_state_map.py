"""Tiles of the map of states."""

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.collective.figures import states
from microleak.attacks.collective.figures.states import PLACES, state_map
from tests.attacks.collective.state_rows import drawn, row
from tests.figures.reading import words, written


def test_each_state_has_a_tile_of_its_own():
    assert set(PLACES) == set(states.NAMES)
    assert len(set(PLACES.values())) == len(PLACES) == 27


def test_neighbours_have_tiles_that_touch(state, beside):
    for neighbour in beside.split():
        apart = np.subtract(PLACES[state], PLACES[neighbour])
        assert max(abs(apart)) == 1, neighbour


@pytest.mark.parametrize("end", ["north", "south", "west"])
def test_the_outermost_states_have_the_outermost_tiles(end):
    axis, extreme, state = {
        "north": (1, min, "RR"),
        "south": (1, max, "RS"),
        "west": (0, min, "AC"),
    }[end]
    places = [place[axis] for place in PLACES.values()]
    assert PLACES[state][axis] == extreme(places)


def test_both_maps_have_all_states_and_the_newest_values_of_those_there_are():
    texts = written(drawn("map"))
    assert all(texts.count(state) == 2 for state in PLACES)
    assert {"15.0", "57.5", "6.2", "56.2", "5.0", "24.0"} <= set(texts)
    assert (
        "Outlines only: states for which this analysis has no release of 2023" in texts
    )


def test_a_map_of_all_states_explains_no_outline():
    rows = pd.DataFrame([row(state, "2023", 1, 0.1, 0.2) for state in PLACES])
    assert not any(t.startswith("Outlines") for t in written(state_map(rows, words())))
