"""What all figures of states side by side have in common."""

import re
from xml.etree import ElementTree

import pandas as pd

from microleak.attacks.collective.figures import states
from microleak.attacks.collective.figures.state_trends import (
    importance_heat,
    state_posteriors,
)
from microleak.attacks.collective.figures.states import state_heat, state_map
from microleak.figures.numbers import SYNTHETIC_MARK
from tests.attacks.collective.state_rows import (
    COLLECTIVE,
    DRAW,
    IMPORTANCE,
    ROWS,
    drawn,
    every_figure,
    row,
)
from tests.figures.reading import SVG, spoken, words, written


@every_figure
def test_the_same_rows_in_any_order_give_the_same_bytes(kind):
    assert DRAW[kind](ROWS[::-1], words()) == drawn(kind)


def turned(tables):
    """The same tables with states and rows the other way round."""
    return {state: tables[state][::-1] for state in reversed(tables)}


def test_the_order_of_states_and_of_their_subsets_or_qids_does_not_matter():
    dots = state_posteriors(ROWS, turned(COLLECTIVE), words())
    heat = importance_heat(ROWS, turned(IMPORTANCE), words())
    assert (dots, heat) == (drawn("posteriors"), drawn("importance"))


@every_figure
def test_a_figure_of_a_synthetic_release_says_so_and_no_other(kind):
    assert SYNTHETIC_MARK in written(DRAW[kind](ROWS, words(is_synthetic=True)))
    assert SYNTHETIC_MARK not in drawn(kind)


def test_figures_of_one_page_share_no_identifier():
    ids = [i for kind in DRAW for i in re.findall(r'\bid="([^"]+)"', drawn(kind))]
    assert len(ids) == len(set(ids))


def test_the_description_says_the_highest_and_the_lowest_with_their_names(kind, said):
    assert spoken(drawn(kind)) == f"By state, procedure, 2023. {said}"


def test_the_title_is_what_the_figure_found(kind, title):
    assert ElementTree.fromstring(drawn(kind)).findtext(f"{SVG}title") == title


def test_states_that_are_alike_have_one_value():
    rows = pd.DataFrame([row(s, "2023", 1, 0.1, 0.2) for s in ("SP", "AC")])
    title = ElementTree.fromstring(state_map(rows, words())).findtext(f"{SVG}title")
    said = "The best guess with 1 attribute is right in 30.0% of the cases (Acre)"
    assert title == said


def test_a_portuguese_figure_has_decimal_commas():
    svg = state_heat(ROWS, words("pt"))
    assert spoken(svg).endswith("maior Roraima (RR) 50,00, menor Sergipe (SE) 19,00.")
    assert {"6,2", "25,0", "50,0"} <= set(written(svg))


def test_states_that_leak_alike_stand_by_their_letters():
    rows = pd.DataFrame([row(s, "2023", 1, 0.1, 0.2) for s in ("SP", "AC", "RJ")])
    assert list(states.ranked(rows).index) == ["AC", "RJ", "SP"]


def test_a_single_state_is_both_the_highest_and_the_lowest_and_named_once():
    share = words().numbers.share
    assert states.extremes(pd.Series({"SP": 0.5}), share, words()) == (
        "São Paulo (SP) 50.00%"
    )
