"""The frontier of a search: its points are named where they are."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.smallest_protection.figure import _fitting, _Point, frontier
from microleak.report.texts import voice
from tests.attacks.smallest_protection.shown_rows import NODES


def drawn(rows=NODES, language="en"):
    """What is written in the figure, its lines in one text."""
    svg = frontier(rows, voice(language).words(is_synthetic=True))
    texts = (each.text or "" for each in ElementTree.fromstring(svg).iter())
    return " ".join(text.strip() for text in texts if text.strip())


def test_the_release_and_points_of_the_frontier_are_named(language, named):
    for each in named:
        assert each in drawn(language=language)


def test_the_answer_is_named_with_all_that_it_changes():
    said = "0%: the smallest change, “SEX” left out and “AGE” in ranges of 5"
    assert said in drawn()


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
    assert [name for name in range(1, 100) if f"“X{name}”" in said] == [
        20,
        40,
        60,
        70,
        80,
    ]


def test_labels_that_would_not_fit_are_left_out_from_above():
    names = "|".join(f"A LONG NAME {n} OF {{}}" for n in range(4))
    rows = long_frontier(left_out=names)
    svg = frontier(rows, voice("en").words(is_synthetic=True))
    texts = [*ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    places = [float(text.get("y", "1")) for text in texts]
    assert min(places) > 0
    said = drawn(rows)
    assert [name for name in range(1, 100) if f"0 OF {name}”" in said] == [70]
    assert "100%: as released" in said


def test_a_release_that_keeps_to_its_target_is_named_as_the_answer():
    rows = NODES.assign(is_answer=(NODES["n_changed"] == 0).map(str).str.lower())
    assert "30.00%: the smallest change, as released" not in drawn(rows)
    assert "30.00%: as released" in drawn(rows)


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


def test_a_label_that_has_no_room_on_the_right_stands_below_a_line_that_stays_high():
    line = [(0, 0.98), (0.7, 0.9), (0.9, 0.6), (0.95, 0.1)]
    points = [
        _Point(loss, alone, "“day of the month of birth”", True, n == 3, n == 0)
        for n, (loss, alone) in enumerate(line)
    ]
    by_loss = {label.point.loss: label for label in _fitting(points)}
    assert by_loss[0.9].left + by_loss[0.9].width < 0.9
    assert by_loss[0.9].high < 0.9
    flat = [(0, 0.98), (0.1, 0.05), (0.9, 0.02), (0.95, 0)]
    points = [
        _Point(loss, alone, "“day of the month of birth”", True, n == 3, n == 0)
        for n, (loss, alone) in enumerate(flat)
    ]
    by_loss = {label.point.loss: label for label in _fitting(points)}
    assert by_loss[0.9].low > 0.05


def test_only_a_word_wider_than_the_figure_is_broken():
    for n_letters, is_whole in ((30, True), (60, False)):
        said = f"0%: {'x' * n_letters}"
        points = [
            _Point(0, 0.9, "as released", True, False, True),
            _Point(0.5, 0.1, said, True, True, False),
        ]
        _, label = sorted(_fitting(points), key=lambda each: -each.point.alone)
        word = "x" * n_letters
        assert any(word in line for line in label.lines) == is_whole
        assert "".join(label.lines).endswith(word)
