"""What the page says of anonymity models, and their figures."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.anonymity import measure
from microleak.attacks.anonymity import report as anonymity_drawing
from microleak.attacks.anonymity.figures import (
    K_ANONYMITY,
    K_MAP,
    L_DIVERSITY,
    AnonymityRows,
    before_population,
    bucket_names,
    estimated,
    highest_below,
    uniqueness_lines,
)
from microleak.attacks.anonymity.report import anonymity_kinds
from microleak.figures.numbers import Numbers
from microleak.report.texts import voice
from tests.attacks.anonymity.anonymity_study import by_values, study, tables_of
from tests.figures.reading import words, written
from tests.report.made import AnyFigure, draw_families, family_parts


def part_of(found, language="en"):
    (part,) = family_parts(tables_of(found), AnyFigure(), voice(language))
    return part


def grid(part, beginning):
    """The one table whose caption begins so."""
    (found,) = (grid for grid in part.grids if grid.caption.startswith(beginning))
    return found


def test_what_was_measured_is_told_in_words(given, language, heading, said):
    told = part_of(study(**given), language)
    assert told.heading.startswith(heading)
    texts = [*told.measured, *told.sentences]
    assert [text for text in texts if text in said] == said


@pytest.mark.parametrize(
    ("model", "beginning"),
    [
        (L_DIVERSITY, "“ILL”: l = 1."),
        (K_MAP, "The population has 10,000 records."),
        (K_ANONYMITY, "Records alone in the table: 60."),
    ],
)
def test_sentences_name_a_worst_combination_that_is_not_the_headings(model, beginning):
    found = study("counted", has_values=True, has_entities=True)
    is_other = (found.classes["model"] == model) & (found.classes["n_qids"] > 1)
    told = part_of(AnonymityRows(found.rows, found.classes[~is_other])).sentences
    (sentence,) = [each for each in told if each.startswith(beginning)]
    assert sentence.endswith("These are the numbers for another combination: TOWN.")


def test_a_record_that_nobody_of_the_population_fits_makes_k_map_zero():
    found = study("counted")
    found.rows["k_map"] = found.rows["k_map"].mask(found.rows["n_qids"] == 2, 0)
    told = part_of(found).sentences[3]
    assert told.startswith("k-map is 0: nobody in the population")


def test_a_population_that_has_no_table_has_one_estimate():
    found = replace(study("known"), uniqueness=by_values(160, 0.1625))
    assert part_of(found).sentences[2:] == (
        "Of the records alone in the table (160), a log-linear model (Skinner and "
        "Shlomo 2008), with weights and published counts where the study has them, "
        "estimates that about 26 (16.25%) are alone in the population of 10,000 too. "
        "How far a single sample is off is not known here.",
    )
    known = replace(found, uniqueness=by_values(160, 0.1625, 15.6, 28.6))
    assert (
        part_of(known)
        .sentences[2]
        .endswith(
            "Going by nine of ten samples of known populations, the true number is "
            "between 15 and 29."
        )
    )
    none = replace(study("known"), uniqueness=by_values(0, None))
    assert part_of(none).sentences[2].startswith("No record is alone in the table, so")


@pytest.mark.parametrize(
    ("language", "one"), [("en", "; 1 record; "), ("pt", "; 1 registro; ")]
)
def test_a_table_of_one_record_is_told_in_the_singular(language, one):
    part = part_of(study(sizes={"TOWN": {1: 1}, "AGE|TOWN": {1: 1}}), language)
    assert one in part.measured[0]
    said = [part.heading, *part.measured, *part.sentences]
    assert not any("1 records" in text or "1 registros" in text for text in said)


def test_the_worst_subset_of_each_size_has_a_row():
    worst = grid(part_of(study()), "k-anonymity: the worst")
    assert worst.rows == (
        ("1", "TOWN", "1", "60 (6.00%)", "60 (6.00%)", "100 (10.00%)", "100 (10.00%)"),
        (
            *("2", "AGE, TOWN", "1", "160 (16.00%)"),
            *("300 (30.00%)", "300 (30.00%)", "300 (30.00%)"),
        ),
    )


def test_each_number_stands_beside_its_definition_and_its_namesakes():
    meanings = grid(part_of(study()), "What each number counts")
    assert [row[:2] for row in meanings.rows] == [
        ("k", "1"),
        ("Records in blocks of fewer than 5", "300"),
        ("Combinations of at most 5 records", "230"),
    ]
    assert "sdcMicro prints the same records" in meanings.rows[1][3]
    assert "riskyCells counts the same blocks" in meanings.rows[2][3]


def test_a_histogram_has_bounds_counts_and_shares_of_blocks_and_records():
    histogram = grid(part_of(study()), "Numbers behind the figure: histogram of k")
    assert histogram.is_folded
    assert histogram.rows[:3] == (
        ("1", "1", "60", "84.51%", "60", "6.00%"),
        ("1", "3–4", "10", "14.08%", "40", "4.00%"),
        ("1", "500–900", "1", "1.41%", "900", "90.00%"),
    )


EVERY = study("counted", has_values=True)


def test_models_have_the_names_that_their_histograms_are_measured_by():
    assert (K_ANONYMITY, K_MAP) == (measure.K_ANONYMITY, measure.K_MAP)
    assert {*EVERY.classes["model"]} <= {*measure.CLASS_MODELS}


def test_what_was_measured_decides_which_figures_there_are():
    assert [*anonymity_kinds(study())] == [("below", ""), ("sizes", "")]
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
    drawn = dict(draw_families(tables_of(study("counted")), ["en"], []))
    below, sizes, population = drawn.values()
    highest = "In blocks of fewer than 5 records, highest share with 2 attributes"
    assert f"{highest}: 30.00%." in below
    assert (
        "Worst combination of 2 attributes: lowest bucket, 1 in a block; share of the "
        "blocks: 69.26%; of the records: 16.00%."
    ) in sizes
    assert "in the population (counted): 62.50%" in population


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
    assert [*uniqueness_lines(worst, words())] == ["Poisson-gamma"]
    texts = written(before_population(found.worst(K_MAP), worst, words()))
    assert "Poisson-gamma" in texts
    assert "Records that match few people of the population" not in texts


@pytest.mark.parametrize(
    ("chance", "text"), [(1e-17, "below 0.01%"), (0.0001, "0.01%"), (0.25, "25.00%")]
)
def test_a_tiny_estimate_is_only_said_to_be_small(chance, text):
    assert estimated(chance, words()) == text


@pytest.mark.parametrize("language", ["en", "pt"])
def test_bounds_of_published_counts_stand_before_the_estimate(language):
    found, own = study(), words(language)
    found.rows["n_unique_both"] = pd.Series(pd.NA, found.rows.index, "Int64")
    for bound, n in (("least", 40), ("most", 60)):
        found.rows[f"n_unique_both_{bound}"] = pd.Series(n, found.rows.index, "Int64")
    worst = found.worst(K_ANONYMITY)
    least, most = uniqueness_lines(worst, own).values()
    assert [least[2], most[2]] == [0.25, 0.375]
    said = {"en": "at least 25.00% are unique", "pt": "no mínimo 25,00% também são"}
    svg = before_population(found.worst(K_MAP), worst, own)
    assert said[language] in svg.replace("\xa0", " ")
    numbers = {
        "en": "Numbers behind the figure: the table",
        "pt": "Dados do gráfico: a",
    }
    lines = grid(part_of(found, language), numbers[language]).headings[1:]
    assert list(lines) == [*uniqueness_lines(worst, own)]
