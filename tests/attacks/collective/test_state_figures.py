"""What all figures of states side by side have in common."""

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

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


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            "map",
            "Best guess without attack: highest Acre (AC) 15.00%, "
            "lowest Sergipe (SE) 5.00%. Knowing 2 attributes: "
            "highest Acre (AC) 57.50%, lowest Sergipe (SE) 24.00%.",
        ),
        (
            "heat",
            "Additive leakage in percentage points, knowing 2 attributes: "
            "highest Roraima (RR) 50.00, lowest Sergipe (SE) 19.00.",
        ),
        (
            "years",
            "Additive leakage in percentage points, knowing 2 attributes, 2022: "
            "highest Roraima (RR) 37.50, lowest Sergipe (SE) 20.00. "
            "Additive leakage in percentage points, knowing 2 attributes, 2023: "
            "highest Roraima (RR) 50.00, lowest Sergipe (SE) 19.00.",
        ),
        (
            "posteriors",
            "Each of the 9 combinations of attributes and states is a dot; dots of the "
            "same chance form a line. "
            "Worst combination: highest Acre (AC) 57.50%, lowest Sergipe (SE) 24.00%. "
            "Without attack: highest Acre (AC) 15.00%, lowest Sergipe (SE) 5.00%.",
        ),
        (
            "explained",
            "Additive leakage in percentage points, knowing 2 attributes: "
            "highest Roraima (RR) 50.00, lowest Sergipe (SE) 19.00. "
            "Beside it: Number of records: R² = 0.25; "
            "Entropy of the sensitive attribute; "
            "Joint entropy of the attributes known; Mean block size.",
        ),
        (
            "importance",
            "Percentage points of leakage lost. "
            "Without B: highest Roraima (RR) 25.00, lowest Sergipe (SE) 9.00. "
            "Without A: highest Acre (AC) 20.00, lowest Sergipe (SE) 0.",
        ),
    ],
)
def test_the_description_says_the_highest_and_the_lowest_with_their_names(kind, said):
    assert spoken(drawn(kind)) == f"By state, procedure, 2023. {said}"


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        (
            "map",
            "The best guess with 2 attributes is right most often in Acre (57.5%) and "
            "least often in Sergipe (24.0%)",
        ),
        (
            "heat",
            "Knowing 2 attributes adds most to the best guess in Roraima (50.0 points) "
            "and least in Sergipe (19.0)",
        ),
        (
            "years",
            "Roraima changed most from 2022 to 2023: its leakage went from 37.5 to "
            "50.0 points",
        ),
        (
            "posteriors",
            "Knowing 1 attribute is enough to lift the best guess by up to 25.0 points "
            "(Roraima)",
        ),
        (
            "explained",
            "Of four numbers, one goes most closely with the leakage: Number of "
            "records (R² = 0.25)",
        ),
        (
            "importance",
            "Without B the leakage falls most: by 10.0 points in the median state",
        ),
    ],
)
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
