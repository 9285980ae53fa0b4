"""Cells of leakage by state and number of attributes."""

from microleak.attacks.collective.figures.states import state_heat
from tests.attacks.collective.state_rows import ROWS, drawn
from tests.figures.reading import words, written


def test_a_size_that_a_state_lacks_is_an_empty_cell():
    lacking = ROWS.drop(index=[4])
    texts = written(state_heat(lacking, words()))
    assert "×" not in texts
    assert "22.5" in written(drawn("heat"))
    assert "22.5" not in texts
