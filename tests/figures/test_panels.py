"""Titles in lines, and panels that a telephone shows one below another."""

import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from microleak.figures.svg import Caption, even_lines, svg_text

WORDS = st.lists(st.text("ab_", min_size=1, max_size=30), max_size=8)


@given(WORDS, st.integers(5, 60))
def test_lines_are_as_few_as_can_be_and_break_no_word_that_fits(words, width):
    text = " ".join(words)
    lines = even_lines(text, width)
    assert len(lines) == len(textwrap.wrap(text, width))
    assert all(len(line) <= width for line in lines)
    fitting = [word for word in words if len(word) <= width]
    if len(fitting) == len(words):
        assert " ".join(lines).split() == words


def drawn(n_axes=4):
    figure = Figure(figsize=(10, 6), layout="constrained")
    for number in range(n_axes):
        axis = figure.add_subplot(2, 2, number + 1)
        axis.plot([0, 1], [0, 1], label="a")
    return figure


def n_panels(figure):
    svg = svg_text(figure, Caption("name", "title", "description"))
    found = re.search(r'data-panels="([^"]*)"', svg)
    return len(found[1].split(",")) if found else 0


@pytest.mark.parametrize(
    ("n_axes", "change", "n"),
    [
        (4, lambda figure: None, 4),
        (3, lambda figure: None, 3),
        (4, lambda figure: figure.supylabel("share"), 0),
        (4, lambda figure: figure.supxlabel("year"), 0),
        (3, lambda figure: figure.legend(loc="outside lower right"), 0),
        (4, lambda figure: figure.legend(loc="outside lower right"), 4),
    ],
)
def test_what_belongs_to_several_panels_keeps_them_together(n_axes, change, n):
    figure = drawn(n_axes)
    change(figure)
    assert n_panels(figure) == n
