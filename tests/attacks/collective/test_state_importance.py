"""Cells of what each attribute brings, by state."""

from microleak.attacks.collective.figures.state_trends import importance_heat, losses_of
from microleak.attacks.collective.figures.states import PLACES
from tests.attacks.collective.state_rows import IMPORTANCE, ROWS, drawn, importance
from tests.figures.reading import words, written


def test_the_qid_whose_median_loss_is_the_largest_stands_first():
    texts = written(drawn("importance"))
    assert [text for text in texts if text in {"A", "B"}] == ["B", "A"]


def test_qids_of_equal_median_loss_stand_by_their_names():
    alike = {"RR": importance(0.5625, {"Z": 0.5, "A": 0.5, "M": 0.25})}
    texts = written(importance_heat(ROWS, alike, words()))
    assert [text for text in texts if text in {"A", "M", "Z"}] == ["M", "A", "Z"]


def test_equal_losses_are_equal_whatever_they_are_the_difference_of():
    losses = [
        losses_of(importance(known, {"A": known - 0.1})) for known in (0.575, 0.24)
    ]
    assert losses[0]["A"] == losses[1]["A"] == 0.1


def test_a_state_without_importance_is_left_out():
    svg = importance_heat(ROWS, {"SE": IMPORTANCE["SE"]}, words())
    assert [text for text in written(svg) if text in PLACES] == ["SE"]


def test_names_of_qids_that_do_not_fit_are_upright():
    long = [f"CO_MUNICIPIO_NASC_{n}" for n in range(9)]
    many = {"RR": importance(0.5625, dict.fromkeys(long, 0.5))}
    assert importance_heat(ROWS, many, words()).count("rotate(-90") >= len(long)
    assert "rotate(-90" not in drawn("importance")
