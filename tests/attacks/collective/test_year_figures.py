"""Figures of several releases: linked by person, and side by side."""

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

from microleak.attacks.collective.figures.success import (
    drawn_distributions,
    success_by_size,
    success_by_years,
    success_of_releases,
    worst_pairs,
)
from microleak.figures.numbers import SYNTHETIC_MARK
from microleak.figures.slim import in_page
from microleak.tables import rows as tables
from tests.figures.reading import SVG, spoken, words, written

RELEASES = ["2017", "2018", "2019"]


def linked(auxiliary, n_certain, n_modal, qids="SCHOOL|STAGE"):
    """One collective row of 1,000 pupils of 2014."""
    return {
        **{"analysis": "linked", "focal": "2014", "auxiliary": auxiliary, "qids": qids},
        **{"n_qids": qids.count("|") + 1, "sensitive": "", "n_certain": n_certain},
        **{"prior_det": 0.0, "prior_prob": 0.001, "posterior_det": n_certain / 1_000},
        "posterior_prob": n_modal / 1_000,
    }


PANELS = pd.DataFrame(
    [
        linked("", 14, 42),
        linked("", 3, 10, qids="SCHOOL"),
        linked("2015", 128, 200),
        linked("2015|2016", 252, 343),
        linked("2015|2016", 31, 62, qids="SCHOOL"),
    ]
)
WORST = PANELS.assign(criterion="probabilistic")


def test_the_bars_are_those_of_no_attack_and_of_each_panel_with_all_qids():
    assert spoken(success_by_years(PANELS, WORST, words())) == (
        "Success by the releases linked, with 2 attributes, re-identification. "
        "without attack: certain 0%, best guess 0.10%. "
        "2014: certain 1.40%, best guess 4.20%. "
        "2014 + 2015: certain 12.80%, best guess 20.00%. "
        "2014 + 2015 + 2016: certain 25.20%, best guess 34.30%."
    )


def test_each_group_of_bars_names_the_release_that_it_adds_and_its_values():
    texts = written(success_by_years(PANELS, WORST, words("pt")))
    groups = ["sem ataque", "2014", "+ 2015", "+ 2016"]
    assert [text for text in texts if text in groups] == groups
    assert {"0", "0,1", "1,4", "4,2", "12,8", "20,0", "25,2", "34,3"} <= set(texts)


@pytest.mark.parametrize("is_synthetic", [True, False])
def test_both_figures_say_whether_they_are_synthetic(is_synthetic):
    said = words(is_synthetic=is_synthetic)
    for svg in (
        success_by_years(PANELS, WORST, said),
        success_of_releases(PAIRS, RELEASES, said),
    ):
        assert (SYNTHETIC_MARK in written(svg)) is is_synthetic


def test_a_figure_with_one_column_is_shown_whole():
    assert in_page(success_by_years(PANELS, WORST, words())).panels == ""


def test_success_by_size_is_drawn_for_the_focal_release_and_for_all_linked():
    svg = success_by_size(PANELS, WORST, words())
    texts = written(svg)
    titles = [text for text in texts if text.startswith("Found with certainty")]
    assert titles == [
        "Found with certainty: up to 1.40% (2014)",
        "Found with certainty: up to",
    ]
    # A title that is wider than its panel has two lines, as long as each other.
    assert texts[texts.index(titles[1]) + 1] == "25.20% (2014 + 2015 + 2016)"
    assert spoken(svg).startswith(
        "Share of the records by the number of attributes known, re-identification. "
        "Each of the 4 combinations"
    )


def test_histograms_of_linked_releases_are_of_all_qids_panel_by_panel():
    bins = pd.concat([PANELS.assign(bin=100, n_records=7)])
    drawn = drawn_distributions(bins, WORST)
    assert [tables.panel_label(row) for row, _ in drawn] == [
        "2014",
        "2014 + 2015",
        "2014 + 2015 + 2016",
    ]
    assert {row["qids"] for row, _ in drawn} == {"SCHOOL|STAGE"}


def test_of_several_largest_subsets_the_worst_with_all_releases_stands_for_them():
    rows = pd.DataFrame(
        [
            linked("", 20, 90, qids="A|B"),
            linked("", 10, 50, qids="A|C"),
            linked("2015", 30, 100, qids="A|B"),
            linked("2015", 40, 200, qids="A|C"),
        ]
    )
    worst = rows.iloc[[0, 3]].assign(criterion="probabilistic")
    assert tables.full_set(rows, worst)["qids"].tolist() == ["A|C", "A|C"]


def pair(qids, earlier, later, before, after, sensitive=""):
    """One comparison of the probabilistic success, half of it certain."""
    return {
        **{"table": "census", "earlier": earlier, "later": later, "qids": qids},
        **{"n_qids": qids.count("|") + 1, "sensitive": sensitive},
        **{"posterior_det_earlier": before / 2, "posterior_det_later": after / 2},
        **{"posterior_prob_earlier": before, "posterior_prob_later": after},
        **{"is_certain_earlier": True, "is_certain_later": True},
    }


PAIRS = pd.DataFrame(
    [
        pair("AGE", "2017", "2018", 0.2, 0.3),
        pair("SEX", "2017", "2018", 0.8, 0.9),
        pair("AGE|SEX", "2017", "2018", 0.4, 0.5),
        pair("AGE", "2018", "2019", 0.3, 0.1),
        pair("SEX|AGE", "2018", "2019", 0.5, 0.6),
        pair("AGE", "2018", "2019", 0.7, 0.8, sensitive="ILL"),
    ]
)
REIDENTIFICATION = PAIRS.iloc[:5]


def chosen(rows):
    return [
        (row["n_qids"], row["qids"], row["later"])
        for _, row in worst_pairs(rows, RELEASES).iterrows()
    ]


def test_of_each_size_the_worst_subset_on_the_last_release_is_compared():
    assert chosen(REIDENTIFICATION) == [
        (1, "AGE", "2018"),
        (2, "AGE|SEX", "2018"),
        (1, "AGE", "2019"),
        (2, "SEX|AGE", "2019"),
    ]


def test_among_equals_the_more_certain_is_compared_and_then_the_first():
    rows = pd.DataFrame([pair(q, "2018", "2019", 0.5, 0.5) for q in "ABC"])
    assert chosen(rows) == [(1, "A", "2019")]
    surer = rows.assign(posterior_det_later=[0.1, 0.2, 0.2])
    assert chosen(surer) == [(1, "B", "2019")]


def test_the_worst_is_so_by_the_best_guess_even_where_another_is_more_certain():
    rows = pd.DataFrame(
        [pair("AGE", "2018", "2019", 0.5, 0.8), pair("SEX", "2018", "2019", 0.5, 0.6)]
    ).assign(posterior_det_later=[0.1, 0.4])
    assert chosen(rows) == [(1, "AGE", "2019")]


def test_the_last_release_is_the_last_later_one_whatever_it_is_compared_with():
    rows = pd.DataFrame(
        [pair("AGE", "2017", "2019", 0.5, 0.8), pair("SEX", "2018", "2019", 0.5, 0.6)]
    )
    assert chosen(rows) == [(1, "AGE", "2019")]


def test_a_size_that_the_last_release_lacks_has_its_worst_on_an_earlier_one():
    rows = pd.DataFrame(
        [
            pair("AGE", "2018", "2019", 0.3, 0.4),
            pair("AGE|SEX", "2017", "2018", 0.5, 0.6),
            pair("AGE|RACE", "2017", "2018", 0.5, 0.7),
        ]
    )
    assert chosen(rows) == [(1, "AGE", "2019"), (2, "AGE|RACE", "2018")]


def test_each_release_is_a_line_that_is_named_beside_it_from_the_lowest():
    svg = success_of_releases(PAIRS[::-1], RELEASES, words())
    texts = written(svg)
    panels = texts[: texts.index("Best guess of the value: ILL") + 1]
    named = [text for text in panels if text in RELEASES]
    assert named == [*RELEASES, *RELEASES, *RELEASES[1:], *RELEASES[1:]]


TITLED = {
    "years": lambda said: success_by_years(PANELS, WORST, said),
    "releases": lambda said: success_of_releases(PAIRS, RELEASES, said),
    "inference": lambda said: success_of_releases(PAIRS.iloc[5:], RELEASES, said),
}


def test_the_title_says_what_the_newest_releases_give_away(kind, language, title):
    root = ElementTree.fromstring(TITLED[kind](words(language)))
    assert root.findtext(f"{SVG}title") == title


def test_each_subject_has_axes_of_its_own():
    titles = [
        text
        for text in written(success_of_releases(PAIRS, RELEASES, words()))
        if text.startswith(("Found", "Best guess", "Value"))
    ]
    assert titles == [
        "Found with certainty",
        "Found by the best guess",
        "Value known for certain: ILL",
        "Best guess of the value: ILL",
    ]


def test_the_description_says_the_posteriors_of_the_largest_subset():
    said = spoken(success_of_releases(REIDENTIFICATION, RELEASES, words()))
    assert said == (
        "Deterministic success, re-identification, with 2 attributes: "
        "2017: 20.00%, 2018: 25.00%, 2019: 30.00%. "
        "Probabilistic success, re-identification, with 2 attributes: "
        "2017: 40.00%, 2018: 50.00%, 2019: 60.00%."
    )


def test_the_same_numbers_in_any_order_give_the_same_bytes_of_linked_releases():
    first = success_by_years(PANELS, WORST, words())
    assert success_by_years(PANELS[::-1], WORST[::-1], words()) == first


def test_figures_share_no_identifier():
    drawn = [
        success_by_years(PANELS, WORST, words()),
        success_by_size(PANELS, WORST, words()),
        success_of_releases(PAIRS, RELEASES, words()),
    ]
    ids = [i for svg in drawn for i in re.findall(r'\bid="([^"]+)"', svg)]
    assert len(ids) == len(set(ids))
