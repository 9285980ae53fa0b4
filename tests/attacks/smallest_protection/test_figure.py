"""The frontier of a search: its points are named where they are."""

from xml.etree import ElementTree

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.smallest_protection.figure import _fitting, _Point, draw_frontier
from microleak.attacks.smallest_protection.shown import shown_of
from microleak.report.texts import voice
from tests.attacks.smallest_protection.shown_rows import CUTS, NODES


def drawn(rows=NODES, language="en"):
    """What is written in the figure, its lines in one text."""
    shown = shown_of(rows, CUTS[:0], pd.DataFrame(), pd.DataFrame())
    svg = draw_frontier(shown, voice(language).words(is_synthetic=True))
    texts = (each.text or "" for each in ElementTree.fromstring(svg).iter())
    return " ".join(text.strip() for text in texts if text.strip())


def test_the_release_and_points_of_the_frontier_are_named(language, named):
    for each in named:
        assert each in drawn(language=language)


def long_frontier(n=100, left_out="X{}"):
    """Of n nodes the share that is alone falls from all to nearly none."""
    rows = NODES.iloc[[0] * n].reset_index(drop=True)
    return rows.assign(
        loss=[place / n for place in range(n)],
        n_alone=[200 - 2 * place for place in range(n)],
        on_frontier="true",
        is_answer=["true" if place == 70 else "false" for place in range(n)],
        n_changed=range(n),
        left_out=["", *(left_out.replace("{}", str(n)) for n in range(1, n))],
    )


def test_of_a_long_frontier_the_first_below_each_fifth_is_named():
    said = drawn(long_frontier())
    named = [name for name in range(1, 100) if f"“X{name}”" in said]
    assert named == [20, 40, 60, 70, 80]


NAMES = ("municipality", "“day of the month of birth”", "“race or colour”", "left out")


@st.composite
def frontiers(draw):
    """A line that falls from the release, and long words beside some of its points."""
    n = draw(st.integers(3, 8))
    few = st.integers(1, 99)
    losses = sorted(draw(st.sets(few, min_size=n, max_size=n)))
    alone = sorted(draw(st.sets(few, min_size=n, max_size=n)), reverse=True)
    answer = draw(st.integers(1, n - 1))
    words = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6))
    return [
        _Point(
            *(0 if place == 0 else losses[place] / 100, alone[place] / 100),
            label="as released" if place == 0 else " ".join(words),
            is_on=True,
            is_answer=place == answer,
            is_release=place == 0,
        )
        for place in range(n)
    ]


@given(frontiers())
def test_no_label_crosses_the_line_or_another_label_or_breaks_a_word(points):
    labels = _fitting(points)
    for label in labels:
        assert " ".join(label.lines) == label.point.label
        begin, end = label.left, label.left + label.width
        over = min(p.alone for p in points if p.loss <= begin)
        under = min(p.alone for p in points if p.loss <= end)
        assert label.low > over or label.high < under
    for place, one in enumerate(labels):
        for other in labels[:place]:
            is_beside = (
                one.left >= other.left + other.width
                or other.left >= one.left + one.width
            )
            assert is_beside or one.low >= other.high or other.low >= one.high
