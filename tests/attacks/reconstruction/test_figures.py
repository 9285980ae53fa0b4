"""Figures of rebuilt databases, and the settings that they draw."""

from collections import defaultdict
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.figures import phase_diagrams, right_over_noise
from microleak.attacks.reconstruction.rows import rebuilt
from microleak.figures.slim import in_page
from microleak.study.tables import result_tables as specs
from microleak.tables.files import read_table, write_table
from tests.attacks.reconstruction.shown_rows import (
    GRID,
    attempt,
    counted,
    points,
    results,
    shown,
)
from tests.examples import examples
from tests.figures.reading import SVG, spoken, words, written

FIGURES = [right_over_noise, phase_diagrams]


UNCLAIMED = (
    "Entries about which an attack claims nothing do not count as right, so that fewer "
    "may be right than without answers."
)


def tried(n_queries, bound, claimed, right, **columns):
    right = min(right, claimed)
    return attempt(n_queries, bound, right, n_claimed=claimed, **columns)


attempts = st.lists(
    st.builds(
        tried,
        st.sampled_from([8, 16]),
        st.sampled_from([0, 1, 2]),
        st.integers(0, 16),
        st.integers(0, 16),
        status=st.sampled_from(["solved", "infeasible", "not solved"]),
        attack=st.sampled_from(["linear", "l1"]),
    ),
    min_size=1,
    max_size=12,
)


@examples(20)
@given(attempts)
def test_settings_are_what_their_databases_come_to(rows):
    """Limits are the last level of all databases and the first of none."""
    several = defaultdict(list)
    for row in rows:
        several[row["attack"], row["n_queries"], row["error_bound"]].append(row)
    tables = shown(*rows)
    every, which = tables.settings, ["attack", "n_queries"]
    found = every.set_index([*which, "error_bound"])
    assert len(found) == len(several)
    for key, databases in several.items():
        setting, n = found.loc[key], len(databases)
        endings = [row["status"] for row in databases]
        parts = [r["status"] == "solved" and r["n_claimed"] < 16 for r in databases]
        assert setting["n_tries"] == n
        assert setting["n_exact"] == sum(row["n_right"] == 16 for row in databases)
        assert setting["n_unsolved"] == endings.count("not solved")
        assert setting["n_infeasible"] == endings.count("infeasible")
        assert setting["n_partial"] == sum(parts)
        shares = [row["n_right"] / 16 for row in databases]
        assert setting["share_right"] == pytest.approx(sum(shares) / n)
        assert setting["least_right"] == min(shares)
        assert setting["noise_share"] == key[2] / 4
    for _, limit in tables.limits.iterrows():
        is_its = (every[which] == limit[which]).all(axis="columns")
        curve = every[is_its].sort_values("noise_share")
        all_of = (curve["n_exact"] == curve["n_tries"]).tolist()
        none_of = (curve["n_exact"] == 0).tolist()
        levels = curve["noise_share"].tolist()
        alls = [x for i, x in enumerate(levels) if all(all_of[: i + 1])]
        nones = [x for i, x in enumerate(levels) if all(none_of[i:])]
        found = limit[["last_all", "first_none"]].astype(float).fillna(-1).tolist()
        assert found == [max(alls, default=-1), min(nones, default=-1)]


def test_tables_read_from_files_are_drawn_as_others_are(tmp_path):
    path = tmp_path / "results.csv"
    spec = specs()["reconstruction"]
    write_table(path, results(*GRID), spec)
    read = rebuilt(read_table(path, spec), points())
    for name in ("settings", "limits"):
        both = [getattr(each, name).astype(object) for each in (read, shown(*GRID))]
        pd.testing.assert_frame_equal(*both)
    for draw in FIGURES:
        assert draw(read, words()) == draw(shown(*GRID), words())


def test_a_database_that_two_formulas_ask_for_is_one():
    rows = [attempt(8, 1, 16, queries=text, seed=5) for text in ("n/2", "8")]
    tables = shown(*rows, attempt(8, 1, 3), rows[0] | {"attack": "l1"})
    linear, l1 = tables.settings.to_dict("records")
    assert linear["queries"] == "n/2"
    assert (linear["n_exact"], linear["n_tries"], l1["n_tries"]) == (1, 2, 1)
    counts = [counted(5, 990, 40, 7, seed=5, queries=text) for text in ("27", "28")]
    assert rebuilt(results(), points(*counts)).bad["queries"].tolist() == ["27"]


def test_the_setting_told_has_the_most_noise_up_to_which_every_database_fell():
    """Not one that fell where less noise stopped the attack; of equals the larger."""
    assert shown(*GRID).told[["n_queries", "error_bound"]].tolist() == [64, 2.0]
    assert shown(attempt(8, 1, 3)).told is None
    lucky = [attempt(8, 0, 16), attempt(8, 1, 15), attempt(8, 2, 16)]
    assert shown(*lucky).told["error_bound"] == 0
    assert shown(*lucky[1:]).told is None
    # E is a multiple of 2**-20, and so below half of the root of 200.
    both = ((100, 5), (200, 7.0710678))
    rows = [attempt(900, bound, n, n_entries=n) for n, bound in both]
    assert shown(*rows).told["n_entries"] == 200


def test_without_answers_the_more_frequent_bit_is_right():
    """A database of several attacks is guessed once."""
    tables = shown(attempt(8, 1, 3, n_ones=4), attempt(8, 1, 3, n_ones=10))
    assert tables.guess(16) == (12 + 10) / 32
    both = ("linear", "l1")
    rows = [attempt(8, 1, 3, n_ones=4, seed=5, attack=name) for name in both]
    assert shown(*rows, attempt(8, 1, 3, n_ones=8)).guess(16) == (12 + 8) / 32


def test_of_several_sizes_the_largest_with_three_levels_of_noise_is_drawn():
    small = [attempt(8, bound, 4, n_entries=8) for bound in (0, 1, 2)]
    large = [attempt(8, bound, 4) for bound in (0, 1)]
    (panel,) = shown(*small, *large).panels
    assert panel["n_entries"].tolist() == [8, 8, 8]
    assert shown(*large).panels == []


def test_attacks_and_laws_of_noise_have_panels_of_their_own():
    rows = [
        attempt(8, bound, 4, **law)
        for law in ({}, {"attack": "l1"}, {"noise": "rounding"}, {"outliers": 0.1})
        for bound in (0, 1, 2)
    ]
    assert len(shown(*rows).panels) == 4
    assert shown(*rows).diagrams == shown(*rows).undrawn == []


def test_of_many_panels_six_are_drawn_of_each_attack_the_first():
    attacks = [("linear", 6), ("l1", 1), ("least_squares", 2)]
    rows = [
        attempt(8, bound, 4, attack=attack, outliers=law / 10)
        for attack, n_laws in attacks
        for law in range(n_laws)
        for bound in (0, 1, 2)
    ]

    def laws(panels):
        return [(p["attack"][0], p["outliers"][0]) for p in panels]

    assert laws(shown(*rows).panels) == [
        *(("linear", 0.0), ("linear", 0.1), ("linear", 0.2)),
        *(("l1", 0.0), ("least_squares", 0.0), ("least_squares", 0.1)),
    ]
    left = [("linear", 0.3), ("linear", 0.4), ("linear", 0.5)]
    assert laws(shown(*rows).undrawn) == left


@pytest.mark.parametrize("draw", FIGURES)
def test_what_is_not_claimed_is_said_not_to_be_right_where_any_is_not(draw):
    every = [row | {"n_claimed": 16} for row in GRID]
    for answer in (lambda svg: in_page(svg).note, lambda svg: " ".join(written(svg))):
        assert UNCLAIMED in answer(draw(shown(*GRID), words()))
        assert UNCLAIMED not in answer(draw(shown(*every), words()))


def test_a_cell_has_the_mean_share_right_and_how_many_databases_are_whole():
    texts = written(phase_diagrams(shown(*GRID), words("pt")))
    assert {"100", "87,5", "37,5", "93,8", "2", "0,5·√n", "4", "1·√n"} <= {*texts}
    whole = sorted(text for text in texts if text.endswith("/2"))
    assert whole == ["0/2", "1/2", "1/2", "2/2", "2/2", "2/2"]


def test_lines_are_numbers_of_queries_and_what_is_right_without_answers():
    texts = written(right_over_noise(shown(*GRID), words()))
    assert {"64 queries", "32 queries"} <= {*texts}
    assert "without answers: 50.00%" in " ".join(texts)


def test_of_many_numbers_of_queries_six_are_drawn_the_most_and_the_least_among_them():
    rows = [attempt(q, bound, 4) for q in range(1, 10) for bound in (0, 1, 2)]
    texts = written(right_over_noise(shown(*rows), words()))
    drawn = [text for text in texts if text.endswith("queries")]
    assert {*drawn} == {f"{n} queries" for n in (9, 7, 6, 4, 3, 1)}


def test_the_title_says_where_every_database_is_rebuilt(place, title):
    svg = FIGURES[place](shown(*GRID), words())
    assert ElementTree.fromstring(svg).findtext(f"{SVG}title") == title


def test_the_descriptions_say_the_numbers_that_are_drawn():
    assert spoken(right_over_noise(shown(*GRID), words())) == (
        "linear programming (uniform noise), n = 16, 64 queries: with E = 0·√n, 100% "
        "of the entries right and 2/2 databases whole; with E = 1·√n, 93.8% and 1/2."
    )
    assert spoken(phase_diagrams(shown(*GRID), words())) == (
        "linear programming (uniform noise), n = 16. Entries right in %, from the "
        "least noise to the most: 32 queries: 100, 87.5, 37.5; 64 queries: 100, 100, "
        "93.8."
    )
