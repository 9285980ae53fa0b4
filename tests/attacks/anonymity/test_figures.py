"""Figures of anonymity models."""

from functools import cache

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.anonymity import measure as classes
from microleak.attacks.anonymity import report as anonymity_drawing
from microleak.attacks.anonymity.figures import (
    K_ANONYMITY,
    K_MAP,
    before_population,
    bucket_names,
    estimated,
    highest_below,
    uniqueness_lines,
)
from microleak.attacks.anonymity.report import anonymity_kinds
from microleak.figures.numbers import Numbers
from tests.attacks.anonymity.anonymity_study import study
from tests.figures.reading import words, written
from tests.report.made import draw_families

EVERY = study("counted", has_values=True)
ALONE = study()


def tables_of(found):
    return {"anonymity": {"survey": found.rows}, "classes": {"survey": found.classes}}


@cache
def drawn(found):
    """Figures by their kind."""
    return {
        path.removeprefix("anonymity-survey-").removesuffix(".en.svg"): svg
        for path, svg in draw_families(tables_of(found), ["en"], [])
    }


def test_models_have_the_names_that_their_histograms_are_measured_by():
    assert (K_ANONYMITY, K_MAP) == (classes.K_ANONYMITY, classes.K_MAP)
    assert {*EVERY.classes["model"]} <= {*classes.CLASS_MODELS}


def test_what_was_measured_decides_which_figures_there_are():
    assert [*anonymity_kinds(ALONE)] == [("below", ""), ("sizes", "")]
    assert [*anonymity_kinds(EVERY)][2:] == [("values", "ILL"), ("population", "")]


def test_a_twin_of_the_table_marks_every_figure_and_of_another_that_before_it(
    monkeypatch,
):
    monkeypatch.setattr(
        anonymity_drawing, "_draw", lambda *given: str(given[-1].is_synthetic)
    )
    marks = {"clinic": "True" * 4, "census": "False" * 3 + "True"}
    for table, expected in marks.items():
        figures = draw_families(tables_of(EVERY), ["en"], [(table, "2020")])
        assert "".join(svg for _, svg in figures) == expected


def test_who_cannot_see_a_figure_hears_its_ends():
    highest = "In blocks of fewer than 5 records, highest share with 2 attributes"
    assert f"{highest}: 30.00%." in drawn(ALONE)["below"]
    sizes = drawn(ALONE)["sizes"]
    assert (
        "Worst combination of 2 attributes: lowest bucket, 1 in a block; share of the "
        "blocks: 69.26%; of the records: 16.00%."
    ) in sizes
    assert "in the population (counted): 62.50%" in drawn(EVERY)["population"]


shares = st.sampled_from([0.0, 0.1, 0.5, 1.0])


@given(st.lists(st.tuples(st.integers(1, 3), shares), min_size=1, max_size=8))
def test_the_highest_share_of_each_size_is_found(pairs):
    rows = pd.DataFrame(pairs, columns=["n_qids", "share_below_5"])
    found = highest_below(rows, 5)
    for size in {size for size, _ in pairs}:
        assert found[size] == max(share for n, share in pairs if n == size)


def test_buckets_are_written_by_both_bounds_in_ascending_order():
    rows = pd.DataFrame({"lower": [20, 1, 3, 20], "upper": [25, 1, 4, 49]})
    assert bucket_names(rows, Numbers("en")) == {1: "1", 3: "3–4", 20: "20–49"}


def test_the_truth_is_the_share_of_sample_uniques_and_comes_first():
    lines = uniqueness_lines(EVERY.worst(K_ANONYMITY), words())
    assert next(iter(lines)) == "in the population (counted)"
    assert lines["in the population (counted)"].to_dict() == {1: 0.0, 2: 100 / 160}


def test_without_a_population_there_is_no_truth_and_no_k_map():
    found = study("known")
    worst = found.worst(K_ANONYMITY)
    models = ["negative binomial", "Poisson", "Zayatz", "Poisson-gamma"]
    assert [*uniqueness_lines(worst, words())] == models
    texts = written(before_population(found.worst(K_MAP), worst, words()))
    assert set(models) < set(texts)
    assert "Records that match few people of the population" not in texts


@pytest.mark.parametrize(
    ("chance", "text"), [(1e-17, "below 0.01%"), (0.0001, "0.01%"), (0.25, "25.00%")]
)
def test_a_tiny_estimate_is_only_said_to_be_small(chance, text):
    assert estimated(chance, words()) == text
