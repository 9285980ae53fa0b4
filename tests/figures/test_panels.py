"""Titles in lines, and panels that a telephone shows one below another."""

import re
import textwrap
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.figures.numbers import SYNTHETIC_MARK, Numbers, Words
from microleak.figures.slim import in_page
from microleak.figures.svg import (
    _BELOW_TITLE,
    _LINE,
    Caption,
    canvas,
    even_lines,
    marked_svg,
    plain_style,
)
from tests.figures.reading import written

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


@pytest.fixture(autouse=True)
def as_drawn():
    with plain_style():
        yield


def drawn(n_axes=4, n_columns=2, **labels):
    figure, axes = canvas(n_axes, n_columns, 6)
    for axis in axes:
        axis.plot([0, 1], [0, 1])
        axis.set(**labels)
        axis.tick_params(labelleft=True)
    return figure


def marked(figure, title="title", note="", is_synthetic=False):
    caption = Caption("name", title, "description", note)
    return marked_svg(figure, caption, Words({}, Numbers("en"), is_synthetic))


def boxes(shown):
    """Left, top, width and height of each panel, and its share of a narrow page."""
    found = re.findall(r'viewBox="([^"]*)" style="width: ([\d.]*)%"', shown.panels)
    return [([float(n) for n in box.split()], float(share)) for box, share in found]


@pytest.mark.parametrize(
    ("n_axes", "n_columns", "n"), [(4, 2, 4), (3, 2, 3), (2, 1, 0), (7, 6, 7)]
)
def test_a_figure_wider_than_a_telephone_is_shown_there_panel_by_panel(
    n_axes, n_columns, n
):
    assert len(boxes(in_page(marked(drawn(n_axes, n_columns))))) == n


def test_panels_of_six_columns_stand_three_in_a_row_at_one_scale():
    panels = boxes(in_page(marked(drawn(12, 6))))
    assert all(sum(share for _, share in panels[n : n + 3]) <= 100 for n in (0, 3, 6))
    scales = [box[2] / share for box, share in panels]
    assert scales == pytest.approx([scales[0]] * 12, rel=0.01)


def test_panels_have_neither_title_nor_note_of_which_the_page_has_the_words():
    shown = in_page(marked(drawn(), "Half & half", 'a "note"'))
    assert (shown.title, shown.note) == ("Half &amp; half", 'a "note"')
    box = re.findall(r'viewBox="0 ([\d.]*) [\d.]* ([\d.]*)"', shown.svg)[0]
    top, height = map(float, box)
    assert top == _LINE + _BELOW_TITLE
    assert height == pytest.approx(72 * 6)
    for (_, panel_top, _, panel_height), _ in boxes(shown):
        assert top <= panel_top
        assert panel_top + panel_height <= top + height + 0.1


def test_a_figure_alone_has_its_title_its_note_and_whether_it_is_synthetic():
    words = written(marked(drawn(), "the title", "the note", is_synthetic=True))
    assert {"the title", "the note", SYNTHETIC_MARK} <= set(words)


@pytest.mark.parametrize("n_columns", [1, 2])
def test_long_words_around_panels_are_broken_and_stay_within_the_figure(n_columns):
    long = " ".join(["attribute"] * 12)
    names = dict.fromkeys(("title", "xlabel", "ylabel"), long)
    figure = drawn(n_columns, n_columns, **names)
    marked(figure)
    width, height = 72 * figure.get_size_inches()
    for axis in figure.axes[:n_columns]:
        box = axis.get_tightbbox()
        assert -1 <= box.x0 <= box.x1 <= width + 1
        assert -1 <= box.y0 <= box.y1 <= height + 1


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize(
    "sign", ["\0", "\a", "\b", "\v", "\f", "\x0e", "\x1b", "\x1f", "\ufffe", "\uffff"]
)
def test_what_xml_cannot_hold_is_drawn_as_a_sign_for_it(sign):
    figure, (axis, *_) = canvas(2, 2, 3)
    axis.plot([0, 1], [0, 1], label=f"l{sign}l")
    axis.set(xlabel=f"x{sign}x", ylabel=f"y{sign}y")
    axis.set_xticks([0, 1], [f"a{sign}b", "c"])
    axis.legend()
    svg = marked(figure, title=f"t{sign}t", note=f"n{sign}n")
    ElementTree.fromstring(svg)
    assert "a\ufffdb" in svg
    assert sign not in svg
