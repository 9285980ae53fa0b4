"""Dots of every combination of attributes in every state."""

import re

from microleak.attacks.collective.figures.state_trends import state_posteriors
from tests.attacks.collective.state_rows import ROWS, collective, drawn
from tests.figures.reading import words


def dots(svg):
    """Dots: lines that end where they begin."""
    return re.findall(r"h0(?![.\d])", svg)


def test_every_subset_of_every_state_is_a_dot():
    assert len(dots(drawn("posteriors"))) == 9


def test_the_dots_of_all_states_take_little_room():
    crowd = {f"{n:07b}": 0.3 + n / 500 for n in range(127)}
    many = {"RR": collective(0.0625, crowd), "SE": collective(0.05, crowd)}
    bytes_of_a_dot = (
        len(state_posteriors(ROWS, many, words()))
        - len(state_posteriors(ROWS, {s: m[:1] for s, m in many.items()}, words()))
    ) / (2 * 126)
    assert 27 * 127 * bytes_of_a_dot < 100_000
