import re
from xml.etree import ElementTree

import matplotlib
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.figures.success import (
    success_by_size,
    success_histograms,
)
from microleak.figures.marks import dot_rows, drawn_sizes
from microleak.figures.numbers import SYNTHETIC_MARK
from microleak.figures.slim import COLUMN, in_page
from microleak.tables import rows as tables
from tests.figures.reading import spoken, words, written


def subset(qids, posterior_det, posterior_prob, auxiliary=""):
    return {
        **{"analysis": "pupils", "focal": "2018", "auxiliary": auxiliary, "qids": qids},
        **{"n_qids": qids.count("|") + 1, "sensitive": "", "prior_det": 0.0},
        **{"prior_prob": 0.01, "posterior_det": posterior_det},
        **{"posterior_prob": posterior_prob, "posterior_loo": posterior_prob / 5},
    }


ROWS = pd.DataFrame(
    [
        subset("AGE", 0.02, 0.11),
        subset("SCHOOL", 0.04, 0.08),
        subset("AGE|SCHOOL", 0.3, 0.625),
    ]
)
WORST = pd.concat(
    [
        ROWS.iloc[[1, 2]].assign(criterion="deterministic"),
        ROWS.iloc[[0, 2]].assign(criterion="probabilistic"),
    ]
)
BINS = pd.DataFrame(
    [
        {**subset("AGE", 0, 0), "bin": 5, "n_records": 98},
        {**subset("AGE", 0, 0), "bin": 100, "n_records": 2},
        {**subset("AGE|SCHOOL", 0, 0), "bin": 50, "n_records": 70},
        {**subset("AGE|SCHOOL", 0, 0), "bin": 100, "n_records": 30},
    ]
)
DRAWINGS = [(success_by_size, ROWS), (success_histograms, BINS)]
both_figures = pytest.mark.parametrize(("draw", "rows"), DRAWINGS)


def titled(svg):
    """The title of a figure, and what is drawn in bold above it."""
    root = ElementTree.fromstring(svg)
    bold = [e for e in root.iter() if "font-weight: 700" in e.get("style", "")]
    lines = [text.strip() for each in bold for text in each.itertext() if text.strip()]
    drawn = " ".join(line for line in lines if line != SYNTHETIC_MARK)
    return root.findtext("{http://www.w3.org/2000/svg}title"), drawn


@both_figures
def test_the_same_numbers_in_any_order_give_the_same_bytes(draw, rows):
    assert draw(rows[::-1], WORST[::-1], words()) == draw(rows, WORST, words())


@both_figures
def test_a_users_matplotlib_settings_do_not_matter_and_are_kept(draw, rows):
    plain = draw(rows, WORST, words())
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.fonttype": "path"}):
        assert draw(rows, WORST, words()) == plain
        assert matplotlib.rcParams["lines.linewidth"] == 9


@both_figures
def test_a_figure_is_one_element_without_date_style_or_outside_reference(draw, rows):
    svg = draw(rows, WORST, words())
    assert svg.startswith("<svg ")
    assert "<style" not in svg
    assert "<metadata" not in svg
    assert set(re.findall(r"https?://[^\"]+", svg)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


@both_figures
def test_a_synthetic_study_is_marked_and_no_other(draw, rows):
    assert SYNTHETIC_MARK in written(draw(rows, WORST, words(is_synthetic=True)))
    assert SYNTHETIC_MARK not in draw(rows, WORST, words())


@both_figures
def test_attribute_names_are_text_and_not_markup_or_formulas(draw, rows):
    name = "<b>$x$&"
    svg = draw(rows.assign(sensitive=name), WORST.assign(sensitive=name), words())
    assert name in spoken(svg)


def test_inference_has_what_others_records_tell_and_reidentification_has_not():
    named = (each.assign(sensitive="ill") for each in (ROWS, WORST))
    svg, other = success_by_size(*named, words()), success_by_size(ROWS, WORST, words())
    assert "without the target's record" in written(svg)
    assert "without the target's record" not in written(other)
    assert "combination of 2 attributes: 12.50%." in spoken(svg)
    assert "own record" not in spoken(other)


def test_every_subset_is_a_dot_of_both_axes():
    assert len(re.findall(r"h0(?![.\d])", success_by_size(ROWS, WORST, words()))) == 6


@given(st.lists(st.tuples(st.integers(1, 3), st.floats(0, 1)), min_size=1, max_size=40))
def test_dots_lie_near_their_value_and_a_row_has_one_for_each_subset(subsets):
    sizes, values = (pd.Series(each) for each in zip(*subsets, strict=True))
    rows = dot_rows(sizes, values).reshape(-1, 2, 2)
    step = values.max() / 100 or 1
    n_dots = 0
    for left, right in rows:
        assert left[1] == right[1]
        size = round((left[0] + right[0]) / 2)
        near = (sizes == size) & ((values - left[1]).abs() <= 0.5001 * step)
        assert near.any()
        assert right[0] - left[0] <= 0.72 + 1e-9
        n_dots += (right[0] - left[0]) / 0.09 + 1
    assert n_dots <= len(subsets) + 1e-6


def test_more_subsets_of_a_value_make_a_longer_row_and_few_of_them_dots_apart():
    crowd = pd.Series([0.5] * 200 + [0.2] * 100 + [0.1])
    ((few, _), (some, _), (many, _)) = [
        right - left for left, right in dot_rows(crowd * 0 + 3, crowd).reshape(-1, 2, 2)
    ]
    assert few == 0
    assert some == pytest.approx(0.72 * 99 / 199)
    assert many == pytest.approx(0.72)
    assert dot_rows(pd.Series([1, 1]), pd.Series([0, 0]))[:, 0] == pytest.approx(
        [0.955, 1.045]
    )


@both_figures
def test_a_figures_title_is_its_finding_and_is_drawn_above_it(draw, rows):
    title, drawn = titled(draw(rows, WORST, words(is_synthetic=True)))
    assert title == drawn != ""


def test_the_title_says_how_many_attributes_are_enough_for_most(
    n_rows, given, language, title
):
    rows = ROWS[:n_rows].assign(**given)
    worst = WORST[WORST["n_qids"].isin(rows["n_qids"])]
    worst = worst.assign(sensitive=rows["sensitive"].iloc[0])
    assert titled(success_by_size(rows, worst, words(language)))[0] == title


def test_a_success_that_never_comes_is_said_in_words():
    never = ROWS.assign(posterior_det=0.0)
    texts = written(success_by_size(never, WORST, words()))
    assert "Found with certainty: never" in texts


def test_each_panel_of_a_figure_can_be_shown_alone_without_its_title():
    svg = success_by_size(ROWS, WORST, words())
    shown = in_page(svg)
    first, second = shown.panels.splitlines()
    (drawing,) = re.findall(r'<g id="(f[0-9a-f]{8}-drawing)"', svg)
    _, head, _, height = re.findall(r'viewBox="([^"]*)"', shown.svg)[0].split()
    assert f'<use href="#{drawing}"/>' in first
    boxes = [
        [float(n) for n in re.findall(r'viewBox="([^"]*)"', panel)[0].split()]
        for panel in (first, second)
    ]
    (left, top, width, _), (other_left, other_top, other_width, _) = boxes
    assert left == 0
    assert float(head) <= top < other_top + 1 < float(head) + float(height)
    assert left + width == pytest.approx(other_left, abs=0.1)
    assert other_left + other_width == pytest.approx(2 * 72 * COLUMN, abs=0.1)


def test_the_title_of_histograms_says_of_how_many_success_is_likely(sensitive, title):
    rows, worst = (each.assign(sensitive=sensitive) for each in (BINS, WORST))
    assert titled(success_histograms(rows, worst, words()))[0] == title


def test_the_worst_of_each_size_and_the_prior_are_labelled_in_the_pages_language():
    labels = written(success_by_size(ROWS, WORST, words("pt")))
    assert {"4,0", "30,0", "11,0", "62,5"} <= set(labels)
    assert {"sem ataque (a priori): 0%", "sem ataque (a priori): 1,00%"} <= set(labels)


def test_the_description_says_the_numbers_that_are_seen():
    assert spoken(success_by_size(ROWS, WORST, words())) == (
        "Share of the records by the number of attributes known, re-identification. "
        "Each of the 3 combinations of attributes and of releases is a dot; dots of "
        "the same share form a line. "
        "Deterministic success, worst combination of 1 attribute: 4.00% after the "
        "attack, 0% before. "
        "Deterministic success, worst combination of 2 attributes: 30.00% after the "
        "attack, 0% before. "
        "Probabilistic success, worst combination of 1 attribute: 11.00% after the "
        "attack, 1.00% before. "
        "Probabilistic success, worst combination of 2 attributes: 62.50% after the "
        "attack, 1.00% before."
    )


def test_joined_releases_have_axes_of_their_own():
    joined = ROWS.assign(auxiliary="2019")
    svg = success_by_size(
        pd.concat([joined, ROWS]),
        pd.concat([WORST, WORST.assign(auxiliary="2019")]),
        words(),
    )
    texts = written(svg)
    titles = [text for text in texts if text.startswith("Found with")]
    assert titles == [
        "Found with certainty: up to 30.00% (2018)",
        "Found with certainty: up to 30.00% (2018 + 2019)",
    ]


def test_histograms_are_of_sizes_evenly_from_one_to_all_qids(sizes, drawn):
    assert drawn_sizes(sizes) == drawn


def test_histograms_are_of_the_worst_probabilistic_subsets():
    assert spoken(success_histograms(BINS, WORST, words())) == (
        "Records by the chance of success against each, re-identification. "
        "Worst combination of 1 attribute (2018): the adversary is certain about "
        "2.00% of the records. Worst combination of 2 attributes (2018): the adversary "
        "is certain about 30.00% of the records."
    )


def test_the_share_of_each_tenth_is_written_above_its_bar():
    texts = written(success_histograms(BINS, WORST, words()))
    assert [text for text in texts if text in ("2.0", "98.0", "70.0", "30.0")] == [
        *("98.0", "2.0", "70.0", "30.0"),
    ]


def test_without_certain_success_its_share_is_exactly_zero():
    svg = success_histograms(BINS[BINS["bin"] < 100], WORST, words())
    assert "certain about 0% of the records" in spoken(svg)


def test_reidentification_comes_before_the_sensitive_attributes():
    rows = pd.DataFrame({"sensitive": ["ILL", "", "BUS"]})
    assert list(tables.by_subject(rows)) == ["", "ILL", "BUS"]


def test_all_qids_are_named_once_and_in_the_studys_order():
    rows = pd.DataFrame({"qids": ["B", "A", "B|A"]})
    assert tables.all_qids(rows) == ["B", "A"]


def heights(svg, starts_with):
    """Distances from the top of the figure of the texts that start so, in points."""
    found = re.findall(rf'<text[^>]*y="([\d.]+)"[^>]*>{starts_with}', svg)
    placed = re.findall(rf"translate\([\d.]+ ([\d.]+)\)[^>]*>{starts_with}", svg)
    return [float(height) for height in found or placed]


def test_the_prior_is_written_above_the_axes_where_no_dot_is():
    svg = success_by_size(ROWS, WORST, words())
    assert max(heights(svg, "without attack")) < min(heights(svg, "100%"))
