"""Figures of states side by side, and where their colours and labels stand."""

import re
from functools import cache
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.figures import labels, scales, shades, states
from microleak.figures.explained import fits_of, state_explained
from microleak.figures.heat import state_heat
from microleak.figures.importance import importance_heat, losses_of
from microleak.figures.posteriors import state_posteriors
from microleak.figures.tiles import PLACES, state_map
from microleak.figures.trends import leakage_by_year, state_years
from microleak.figures.words import SYNTHETIC_MARK
from microleak.report.texts import voice

SVG = "{http://www.w3.org/2000/svg}"
SHARES = st.floats(0, 1)


@cache
def words(language="en", is_synthetic=False, is_published=False):
    return voice(language, is_published).words(is_synthetic)


def row(state, year, n_qids, prior, leakage):
    """One row of `measures/states.csv` with what figures draw."""
    posterior = None if prior is None or leakage is None else prior + leakage
    return {
        "table": "sia_pa",
        "state": state,
        "year": year,
        "sensitive": "PA_PROC_ID",
        "n_qids": n_qids,
        "n_records": 1_000 * len(PLACES) + 100 * ord(state[0]),
        "prior_prob": prior,
        "posterior_prob": posterior,
        "additive_leakage": leakage,
        "sensitive_entropy": 6.5,
        "qids_entropy": 10.0 + n_qids,
        "mean_block_size": 2.0 + (leakage or 0),
    }


ROWS = pd.DataFrame(
    [
        row("RR", "2022", 2, 0.0625, 0.375),
        row("SE", "2022", 2, 0.05, 0.2),
        row("RR", "2023", 1, 0.0625, 0.25),
        row("SE", "2023", 1, 0.05, 0.125),
        row("AC", "2023", 1, 0.15, 0.225),
        row("RR", "2023", 2, 0.0625, 0.5),
        row("SE", "2023", 2, 0.05, 0.19),
        row("AC", "2023", 2, 0.15, 0.425),
    ]
)
IS_HIDDEN = (ROWS["state"] == "AC") & (ROWS["n_qids"] == 2)
HIDDEN = ROWS.assign(
    additive_leakage=ROWS["additive_leakage"].mask(IS_HIDDEN),
    posterior_prob=ROWS["posterior_prob"].mask(IS_HIDDEN),
    suppressed="",
)
EXPLAINED = pd.DataFrame(
    [
        {"year": year, "n_qids": n, "explained_by": name, "r_squared": fit}
        for year, n, name, fit in [
            ("2022", 2, "n_records", 0.99),
            ("2023", 1, "n_records", 0.98),
            ("2023", 2, "n_records", 0.25),
            ("2023", 2, "qids_entropy", None),
            ("2023", 2, "qids_entropy|mean_block_size", 0.5),
        ]
    ]
)


def collective(prior, posteriors):
    """Collective measures of one state: the posterior of each subset."""
    return pd.DataFrame(
        [
            {"qids": q, "n_qids": len(q), "prior_prob": prior, "posterior_prob": p}
            for q, p in posteriors.items()
        ]
    )


def importance(known, without):
    """Importance in one state: the posterior without each QID."""
    return pd.DataFrame(
        [
            {"qid": q, "posterior_prob": known, "posterior_prob_without": share}
            for q, share in without.items()
        ]
    )


COLLECTIVE = {
    "RR": collective(0.0625, {"A": 0.3125, "B": 0.1, "AB": 0.5625}),
    "SE": collective(0.05, {"A": 0.175, "B": 0.06, "AB": 0.24}),
    "AC": collective(0.15, {"A": 0.375, "B": 0.2, "AB": 0.575}),
}
IMPORTANCE = {
    "RR": importance(0.5625, {"A": 0.5, "B": 0.3125}),
    "SE": importance(0.24, {"A": 0.24, "B": 0.15}),
    "AC": importance(0.575, {"A": 0.375, "B": 0.475}),
}
DRAW = {
    "map": state_map,
    "heat": state_heat,
    "years": state_years,
    "posteriors": lambda rows, said: state_posteriors(rows, COLLECTIVE, said),
    "explained": lambda rows, said: state_explained(rows, EXPLAINED, said),
    "importance": lambda rows, said: importance_heat(rows, IMPORTANCE, said),
}
every_figure = pytest.mark.parametrize("kind", DRAW)


@cache
def drawn(kind):
    return DRAW[kind](ROWS, words())


def written(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def described(svg):
    return ElementTree.fromstring(svg).findtext(f"{SVG}desc")


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


@every_figure
def test_a_published_figure_says_so_and_names_the_state_that_is_suppressed(kind):
    svg = DRAW[kind](HIDDEN, words(is_published=True))
    assert 'data-audience="public"' in svg
    named = {"years": set(), "posteriors": set()}.get(kind, {"× suppressed: AC"})
    assert named <= set(written(svg))
    assert 'data-audience="internal"' in drawn(kind)


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
            "Additive leakage in percentage points, all attributes known, 2022: "
            "highest Roraima (RR) 37.50, lowest Sergipe (SE) 20.00. "
            "Additive leakage in percentage points, all attributes known, 2023: "
            "highest Roraima (RR) 50.00, lowest Sergipe (SE) 19.00.",
        ),
        (
            "posteriors",
            "9 dots, one for each combination of attributes and state. "
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
    assert described(drawn(kind)) == said


def test_a_portuguese_figure_has_decimal_commas():
    svg = state_heat(ROWS, words("pt"))
    assert described(svg).endswith(
        "maior Roraima (RR) 50,00, menor Sergipe (SE) 19,00."
    )
    assert {"6,2", "25,0", "50,0"} <= set(written(svg))


def test_states_stand_from_the_highest_leakage_to_those_suppressed():
    assert list(states.ranked(ROWS).index) == ["RR", "AC", "SE"]
    assert list(states.ranked(HIDDEN).index) == ["RR", "SE", "AC"]


def test_states_that_leak_alike_stand_by_their_letters():
    rows = pd.DataFrame([row(s, "2023", 1, 0.1, 0.2) for s in ("SP", "AC", "RJ")])
    assert list(states.ranked(rows).index) == ["AC", "RJ", "SP"]


def test_a_single_state_is_both_the_highest_and_the_lowest_and_named_once():
    share = words().numbers.share
    assert states.extremes(pd.Series({"SP": 0.5}), share, words()) == (
        "São Paulo (SP) 50.00%"
    )


def test_if_all_states_are_suppressed_none_is_named():
    hidden = pd.Series({"SP": None, "RJ": None}, dtype=float)
    assert states.extremes(hidden, words().numbers.share, words()) == "suppressed"


def test_each_state_has_a_tile_of_its_own():
    assert set(PLACES) == set(states.NAMES)
    assert len(set(PLACES.values())) == len(PLACES) == 27


@pytest.mark.parametrize(
    ("state", "beside"),
    [
        ("AC", "AM RO"),
        ("MT", "RO PA TO GO MS AM"),
        ("BA", "TO PI PE SE"),
        ("PR", "SP SC"),
    ],
)
def test_neighbours_have_tiles_that_touch(state, beside):
    for neighbour in beside.split():
        apart = np.subtract(PLACES[state], PLACES[neighbour])
        assert max(abs(apart)) == 1, neighbour


@pytest.mark.parametrize("end", ["north", "south", "west"])
def test_the_outermost_states_have_the_outermost_tiles(end):
    axis, extreme, state = {
        "north": (1, min, "RR"),
        "south": (1, max, "RS"),
        "west": (0, min, "AC"),
    }[end]
    places = [place[axis] for place in PLACES.values()]
    assert PLACES[state][axis] == extreme(places)


def test_both_maps_have_all_states_and_the_newest_values_of_those_there_are():
    texts = written(drawn("map"))
    assert all(texts.count(state) == 2 for state in PLACES)
    assert {"15.0", "57.5", "6.2", "56.2", "5.0", "24.0"} <= set(texts)
    assert "Outlines: states of which the study has no release of 2023" in texts


def test_a_map_of_all_states_explains_no_outline():
    rows = pd.DataFrame([row(state, "2023", 1, 0.1, 0.2) for state in PLACES])
    assert not any(t.startswith("Outlines") for t in written(state_map(rows, words())))


def test_a_suppressed_tile_has_a_mark_and_no_value():
    texts = written(state_map(HIDDEN, words(is_published=True)))
    assert texts.count("×") == 1
    assert "57.5" not in texts


def test_a_published_prior_that_was_rounded_to_zero_is_not_exactly_zero():
    rounded = ROWS.assign(prior_prob=0.0, suppressed="")
    assert "≈0" in written(state_heat(rounded, words(is_published=True)))


def test_a_size_that_a_state_lacks_is_an_empty_cell_and_not_a_suppressed_one():
    lacking = ROWS.drop(index=[4])
    texts = written(state_heat(lacking, words()))
    assert "×" not in texts
    assert "22.5" in written(drawn("heat"))
    assert "22.5" not in texts


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
    names = [text for text in written(svg) if text.endswith(")")]
    assert names == ["Sergipe (SE)"]


def test_a_loss_that_needs_a_suppressed_share_is_marked():
    without = {**IMPORTANCE, "SE": importance(0.24, {"A": None, "B": 0.14})}
    texts = written(importance_heat(ROWS, without, words()))
    assert texts.count("×") == 1
    assert "× suppressed: SE" in texts


def test_names_of_qids_that_do_not_fit_are_slanted():
    long = [f"CO_MUNICIPIO_NASC_{n}" for n in range(9)]
    many = {"RR": importance(0.5625, dict.fromkeys(long, 0.5))}
    assert importance_heat(ROWS, many, words()).count("rotate(-30") >= len(long)
    assert "rotate(-30" not in drawn("importance")


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
            "SP": (0.9,),
            "RJ": (0.8, None),
            "DF": (0.1, 0.5),
            "GO": (0.1, 0.4),
        }
    )
    assert list(leakage_by_year(rows)) == ["DF", "GO", "CE", "AP", "AL", "AC"]


def test_up_to_six_states_all_are_drawn_though_suppressed_in_the_newest_year():
    rows = series({"RJ": (0.8, None), "SP": (0.1, 0.2), "AC": (0.3,)})
    lines = leakage_by_year(rows)
    assert list(lines) == ["SP", "RJ"]
    assert list(lines.index) == ["2021", "2022"]


def test_a_suppressed_year_is_named_and_the_last_value_says_its_year():
    texts = written(state_years(series({"RJ": (0.8, None), "SP": (0.1, 0.2)}), words()))
    assert "× suppressed: RJ 2022" in texts
    assert "Rio de Janeiro (RJ) 80.0 (2021)" in texts
    assert "São Paulo (SP) 20.0" in texts


def dots(svg):
    """Places of dots: lines that end where they begin."""
    return re.findall(r"M (\S+ \S+) \nL \1", svg)


def test_every_subset_of_every_state_is_a_dot():
    assert len(dots(drawn("posteriors"))) == 9


def test_a_suppressed_subset_is_no_dot_but_explained():
    hidden = {**COLLECTIVE, "SE": collective(0.05, {"A": None, "B": 0.06, "AB": 0.24})}
    svg = state_posteriors(ROWS, hidden, words())
    assert len(dots(svg)) == 8
    assert "suppressed" in written(svg)
    assert "suppressed" not in written(drawn("posteriors"))


def test_the_dots_of_all_states_take_little_room():
    crowd = {f"{n:07b}": 0.3 + n / 500 for n in range(127)}
    many = {"RR": collective(0.0625, crowd), "SE": collective(0.05, crowd)}
    bytes_of_a_dot = (
        len(state_posteriors(ROWS, many, words()))
        - len(state_posteriors(ROWS, {s: m[:1] for s, m in many.items()}, words()))
    ) / (2 * 126)
    assert 27 * 127 * bytes_of_a_dot < 200_000


def test_only_fits_of_the_year_and_size_that_is_drawn_are_told():
    fits = fits_of(states.ranked(ROWS), EXPLAINED)
    assert fits == {"n_records": 0.25, "qids_entropy|mean_block_size": 0.5}


def test_without_fits_no_title_has_any_and_the_measure_is_not_explained():
    texts = written(state_explained(ROWS, pd.DataFrame(), words()))
    assert not [text for text in texts if "R²" in text]


def test_states_are_named_beside_their_points_as_far_as_both_numbers_are_known():
    hidden = ROWS.assign(n_records=ROWS["n_records"].astype("Int64"))
    hidden.loc[hidden["state"] == "SE", "n_records"] = pd.NA
    texts = written(state_explained(hidden, EXPLAINED, words()))
    assert [texts.count(state) for state in ("RR", "AC", "SE")] == [4, 4, 3]
    assert "× suppressed: SE" in texts


@pytest.mark.parametrize("scale", [shades.blues, shades.oranges])
def test_a_larger_share_is_darker_and_always_readable(scale):
    of = scale([0.57])
    light = [
        shades.relative_luminance(of.fill(n / 100 * of.largest)) for n in range(101)
    ]
    assert all(lighter > darker for lighter, darker in pairwise(light))
    for n, luminance in enumerate(light):
        ink = shades.relative_luminance(of.ink(n / 100 * of.largest))
        high, low = max(ink, luminance), min(ink, luminance)
        assert (high + 0.05) / (low + 0.05) >= 4.5


@given(st.lists(SHARES | st.just(float("nan")), max_size=5))
def test_a_scale_runs_in_whole_percents_from_zero_past_every_share(shares):
    steps = scales.round_steps(shares)
    assert steps[0] == 0
    assert all(not share > steps[-1] for share in shares)
    assert all(step == pytest.approx(round(100 * step) / 100) for step in steps)
    assert 2 <= len(steps) <= 7


@given(st.lists(SHARES, min_size=1, max_size=6).map(sorted), st.floats(0.01, 0.5))
def test_labels_are_spread_by_the_least_squares(places, gap):
    new = np.array(labels.spread(places, gap))
    assert (np.diff(new) >= gap - 1e-9).all()
    # No other sequence with the gaps is nearer: the one between is not.
    spread_out = np.mean(places) + gap * (
        np.arange(len(places)) - (len(places) - 1) / 2
    )
    for other in (spread_out, places[0] + (gap + 1) * np.arange(len(places))):
        nearer = new + 0.01 * (other - new)
        if (np.diff(nearer) >= gap - 1e-9).all():
            assert np.sum((new - places) ** 2) <= np.sum((nearer - places) ** 2) + 1e-9


def test_places_that_are_apart_stay():
    assert labels.spread([0.1, 0.5, 0.9], 0.2) == pytest.approx([0.1, 0.5, 0.9])


def test_no_label_covers_another_or_a_point_where_there_is_room():
    generator = np.random.default_rng(27)
    points = generator.uniform((10, 10), (300, 185), size=(27, 2))
    centres = points + labels.beside(points, (13, 9), (310, 195))
    for a, b in combinations(centres, 2):
        assert (abs(a - b) >= np.array((13, 9)) - 1e-6).any()
    for centre in centres:
        assert (abs(points - centre) >= np.array((6.5, 4.5))).any(axis=1).all()


def test_two_states_on_one_point_have_labels_on_either_side():
    offsets = labels.beside(np.array([[50.0, 50.0]] * 2), (13, 9), (100, 100))
    assert offsets[:, 1].tolist() == [0, 0]
    assert offsets[0, 0] == -offsets[1, 0] != 0


def test_a_label_does_not_cover_the_next_point():
    offsets = labels.beside(np.array([[50.0, 50.0], [64.0, 50.0]]), (13, 9), (100, 100))
    assert offsets[0, 0] < 0 < offsets[1, 0]


def test_a_label_does_not_leave_the_axis():
    (offset,) = labels.beside(np.array([[98.0, 50.0]]), (13, 9), (100, 100))
    assert offset[0] < 0
