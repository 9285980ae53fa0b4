"""The frontier of a search: its points are named where they are."""

from xml.etree import ElementTree

import pytest

from microleak.attacks.smallest_protection.figure import frontier
from microleak.report.texts import voice
from tests.attacks.smallest_protection.shown_rows import NODES


def drawn(rows=NODES, language="en"):
    """What is written in the figure, its lines in one text."""
    svg = frontier(rows, voice(language).words(is_synthetic=True))
    texts = (each.text or "" for each in ElementTree.fromstring(svg).iter())
    return " ".join(text.strip() for text in texts if text.strip())


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", ["30.00%: as released", "20.00%: “SEX” left out"]),
        ("pt", ["30,00%: como divulgado", "20,00%: sem “SEX”"]),
    ],
)
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
