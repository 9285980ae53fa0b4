"""Cells of leakage by state and number of attributes."""

from microleak.figures.heat import state_heat
from tests.figures.state_rows import ROWS, drawn, words, written


def test_a_published_prior_that_was_rounded_to_zero_is_not_exactly_zero():
    rounded = ROWS.assign(prior_prob=0.0, suppressed="")
    assert "≈0" in written(state_heat(rounded, words(is_published=True)))


def test_a_size_that_a_state_lacks_is_an_empty_cell_and_not_a_suppressed_one():
    lacking = ROWS.drop(index=[4])
    texts = written(state_heat(lacking, words()))
    assert "×" not in texts
    assert "22.5" in written(drawn("heat"))
    assert "22.5" not in texts
