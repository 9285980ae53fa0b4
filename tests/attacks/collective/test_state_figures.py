"""What all figures of states side by side have in common."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.collective.figures import states
from microleak.attacks.collective.figures.state_trends import (
    fits_of,
    importance_heat,
    leakage_by_year,
    losses_of,
    state_explained,
    state_posteriors,
)
from microleak.attacks.collective.figures.states import PLACES, state_heat, state_map
from microleak.figures.numbers import SYNTHETIC_MARK
from tests.attacks.collective.state_rows import (
    COLLECTIVE,
    DRAW,
    EXPLAINED,
    IMPORTANCE,
    ROWS,
    collective,
    drawn,
    every_figure,
    importance,
    row,
)
from tests.figures.reading import SVG, spoken, words, written


@pytest.mark.parametrize("kind", ["map", "heat", "years", "explained"])
def test_the_same_rows_in_any_order_give_the_same_bytes(kind):
    assert DRAW[kind](ROWS[::-1], words()) == drawn(kind)


def test_the_order_of_states_and_of_their_subsets_or_qids_does_not_matter():
    subsets, qids = (
        {state: tables[state][::-1] for state in reversed(tables)}
        for tables in (COLLECTIVE, IMPORTANCE)
    )
    dots = state_posteriors(ROWS[::-1], subsets, words())
    heat = importance_heat(ROWS[::-1], qids, words())
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


def titled(svg):
    return ElementTree.fromstring(svg).findtext(f"{SVG}title")


def test_the_title_is_what_the_figure_found(kind, title):
    assert titled(drawn(kind)) == title


def test_states_that_are_alike_have_one_value():
    rows = pd.DataFrame([row(s, "2023", 1, 0.1, 0.2) for s in ("SP", "AC")])
    assert titled(state_map(rows, words())) == (
        "The best guess with 1 attribute is right in 30.0% of the cases (Acre)"
    )


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


def test_only_fits_of_the_year_and_size_that_is_drawn_are_told():
    fits = fits_of(states.ranked(ROWS), EXPLAINED)
    assert fits == {"n_records": 0.25, "qids_entropy|mean_block_size": 0.5}


def test_without_fits_no_title_has_any_and_the_measure_is_not_explained():
    texts = written(state_explained(ROWS, pd.DataFrame(), words()))
    assert not [text for text in texts if "R²" in text]


def test_a_size_that_a_state_lacks_is_an_empty_cell():
    texts = written(state_heat(ROWS.drop(index=[4]), words()))
    assert "×" not in texts
    assert "22.5" in written(drawn("heat"))
    assert "22.5" not in texts


def test_qids_stand_by_their_median_loss_and_of_equal_ones_by_their_names():
    alike = {"RR": importance(0.5625, {"Z": 0.5, "A": 0.5, "M": 0.25})}
    texts = written(importance_heat(ROWS, alike, words()))
    assert [text for text in texts if text in {"A", "M", "Z"}] == ["M", "A", "Z"]


def test_equal_losses_are_equal_whatever_they_are_the_difference_of():
    for known in (0.575, 0.24):
        assert losses_of(importance(known, {"A": known - 0.1}))["A"] == 0.1


def test_a_state_without_importance_is_left_out():
    svg = importance_heat(ROWS, {"SE": IMPORTANCE["SE"]}, words())
    assert [text for text in written(svg) if text in PLACES] == ["SE"]


def test_names_of_qids_that_do_not_fit_are_upright():
    long = [f"CO_MUNICIPIO_NASC_{n}" for n in range(9)]
    many = {"RR": importance(0.5625, dict.fromkeys(long, 0.5))}
    assert importance_heat(ROWS, many, words()).count("rotate(-90") >= len(long)
    assert "rotate(-90" not in drawn("importance")


def test_each_state_has_a_tile_of_its_own():
    assert set(PLACES) == set(states.NAMES)
    assert len(set(PLACES.values())) == len(PLACES) == 27


def test_neighbours_have_tiles_that_touch(state, beside):
    for neighbour in beside.split():
        apart = np.subtract(PLACES[state], PLACES[neighbour])
        assert max(abs(apart)) == 1, neighbour


def test_the_outermost_states_have_the_outermost_tiles():
    across, down = zip(*PLACES.values(), strict=True)
    assert PLACES["AC"][0] == min(across)
    assert (PLACES["RR"][1], PLACES["RS"][1]) == (min(down), max(down))


def test_both_maps_have_all_states_and_the_newest_values_of_those_there_are():
    texts = written(drawn("map"))
    assert all(texts.count(state) == 2 for state in PLACES)
    assert {"15.0", "57.5", "6.2", "56.2", "5.0", "24.0"} <= set(texts)
    said = "Outlines only: states for which this analysis has no release of 2023"
    assert said in texts


def test_a_map_of_all_states_explains_no_outline():
    rows = pd.DataFrame([row(state, "2023", 1, 0.1, 0.2) for state in PLACES])
    assert not any(t.startswith("Outlines") for t in written(state_map(rows, words())))


def test_every_subset_of_every_state_is_a_dot():
    # Dots are lines that end where they begin.
    assert len(re.findall(r"h0(?![.\d])", drawn("posteriors"))) == 9


def test_the_dots_of_all_states_take_little_room():
    crowd = {f"{n:07b}": 0.3 + n / 500 for n in range(127)}
    many = {"RR": collective(0.0625, crowd), "SE": collective(0.05, crowd)}
    few = {state: rows[:1] for state, rows in many.items()}
    large, small = (len(state_posteriors(ROWS, of, words())) for of in (many, few))
    assert 27 * 127 * (large - small) / (2 * 126) < 100_000


def series(leakage):
    """Rows of some states' leakage in the years from 2021 on."""
    return pd.DataFrame(
        [
            row(state, str(2021 + n), 2, 0.1, value)
            for state, values in leakage.items()
            for n, value in enumerate(values)
        ]
    )


def test_of_more_than_six_states_the_three_highest_and_three_lowest_are_drawn():
    rows = series({s: (0.5, n / 10) for n, s in enumerate(["AC", *list(PLACES)[:7]])})
    order = list(leakage_by_year(rows))
    assert order == [*list(PLACES)[6:3:-1], *list(PLACES)[1::-1], "AC"]


def test_a_state_of_one_year_or_without_the_newest_one_is_not_among_the_highest():
    rows = series(
        {
            **{s: (0.1, n / 100) for n, s in enumerate(["AC", "AL", "AP", "BA", "CE"])},
            **{"SP": (0.9,), "RJ": (0.8, None), "DF": (0.1, 0.5), "GO": (0.1, 0.4)},
        }
    )
    assert list(leakage_by_year(rows)) == ["DF", "GO", "CE", "AP", "AL", "AC"]


def test_up_to_six_states_all_are_drawn_though_not_there_in_the_newest_year():
    rows = series({"RJ": (0.8, None), "SP": (0.1, 0.2), "AC": (0.3,)})
    lines = leakage_by_year(rows)
    assert list(lines) == ["SP", "RJ"]
    assert list(lines.index) == ["2021", "2022"]
