import re
from xml.etree import ElementTree

import matplotlib
import pandas as pd
import pytest

from microleak.attacks.collective.figures.success import (
    success_by_size,
    success_histograms,
)
from microleak.figures.marks import drawn_sizes
from microleak.figures.numbers import SYNTHETIC_MARK, Numbers, Words
from microleak.tables import rows as tables

PHRASES = {
    "reidentification": "re-identification",
    "deterministic": "Certain",
    "probabilistic": "Guess",
    "reid_deterministic": "Certain",
    "reid_probabilistic": "Guess",
    "infer_deterministic": "Certain",
    "infer_probabilistic": "Guess",
    "up_to": "{what}, at most {share}",
    "n_qids": "Size",
    "success": "Success",
    "prior": "before: {share}",
    "attribute_one": "{number} attribute",
    "attribute_many": "{number} attributes",
    "individual_success": "Chance",
    "record_share": "Share",
    "certain": "certain: {share}",
    "success_title": "Success: {subject}",
    "success_alt": "{n_subsets} dots.",
    "left_out": "others alone",
    "success_alt_left_out": "{attributes}: {share} from others.",
    "success_alt_end": "{criterion}, {attributes}: {posterior}, before {prior}.",
    "distribution_title": "Chances: {subject}",
    "distribution_alt": "{attributes} ({panel}): {share} certain.",
}


def words(language="en", is_synthetic=False):
    numbers = Numbers(language)
    return Words(PHRASES, numbers, is_synthetic)


def subset(qids, posterior_det, posterior_prob, auxiliary=""):
    return {
        "analysis": "pupils",
        "focal": "2018",
        "auxiliary": auxiliary,
        "qids": qids,
        "n_qids": qids.count("|") + 1,
        "sensitive": "",
        "prior_det": 0.0,
        "prior_prob": 0.01,
        "posterior_det": posterior_det,
        "posterior_prob": posterior_prob,
        "posterior_loo": posterior_prob / 5,
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


def spoken(svg):
    root = ElementTree.fromstring(svg)
    return root.findtext("{http://www.w3.org/2000/svg}desc")


def written(svg):
    root = ElementTree.fromstring(svg)
    return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def dots(svg):
    """Places of the dots in both axes: lines that end where they begin."""
    return re.findall(r"M (\S+ \S+) \nL \1", svg)


@both_figures
def test_the_same_numbers_give_the_same_bytes(draw, rows):
    assert draw(rows, WORST, words()) == draw(rows, WORST, words())


@both_figures
def test_the_order_of_rows_does_not_matter(draw, rows):
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
    root = ElementTree.fromstring(svg)
    assert name in root.findtext("{http://www.w3.org/2000/svg}title")


def test_inference_has_what_others_records_tell_and_reidentification_has_not():
    named = (each.assign(sensitive="ill") for each in (ROWS, WORST))
    svg, other = success_by_size(*named, words()), success_by_size(ROWS, WORST, words())
    assert "others alone" in written(svg)
    assert "others alone" not in written(other)
    assert "2 attributes: 12.50% from others." in spoken(svg)
    assert "from others" not in spoken(other)


def test_two_figures_of_a_page_share_no_identifier():
    first, second = (draw(rows, WORST, words()) for draw, rows in DRAWINGS)
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (first, second)]
    assert ids[0] & ids[1] == set()


def test_every_subset_is_a_dot_of_both_axes():
    assert len(dots(success_by_size(ROWS, WORST, words()))) == 6


def test_equal_values_of_a_crowd_do_not_cover_each_other():
    crowd = pd.DataFrame([subset(f"A{i}", 0.5, 0.5) for i in range(200)])
    places = dots(success_by_size(crowd, WORST, words()))
    assert len(set(places)) == len(places) == 400


def test_the_worst_of_each_size_and_the_prior_are_labelled_in_the_pages_language():
    labels = written(success_by_size(ROWS, WORST, words("pt")))
    assert {"4,0", "30,0", "11,0", "62,5"} <= set(labels)
    assert {"before: 0%", "before: 1,00%"} <= set(labels)


def test_the_description_says_the_numbers_that_are_seen():
    assert spoken(success_by_size(ROWS, WORST, words())) == (
        "3 dots. "
        "Certain, 1 attribute: 4.00%, before 0%. "
        "Certain, 2 attributes: 30.00%, before 0%. "
        "Guess, 1 attribute: 11.00%, before 1.00%. "
        "Guess, 2 attributes: 62.50%, before 1.00%."
    )


def test_joined_releases_have_axes_of_their_own():
    joined = ROWS.assign(auxiliary="2019")
    svg = success_by_size(
        pd.concat([joined, ROWS]),
        pd.concat([WORST, WORST.assign(auxiliary="2019")]),
        words(),
    )
    titles = [text for text in written(svg) if text.startswith("Certain")]
    assert titles == [
        "Certain, at most 30.00% (2018)",
        "Certain, at most 30.00% (2018 + 2019)",
    ]


def test_one_qid_makes_a_figure_of_one_size():
    svg = success_by_size(ROWS[:1], WORST.iloc[[2]], words())
    assert spoken(svg) == "1 dots. Guess, 1 attribute: 11.00%, before 1.00%."


@pytest.mark.parametrize(
    ("sizes", "drawn"),
    [
        (range(1, 12), [1, 4, 7, 11]),
        (range(1, 8), [1, 3, 5, 7]),
        ([1, 2, 7], [1, 2, 7]),
        ([1], [1]),
        ([1, 2], [1, 2]),
        ([11], [11]),
    ],
)
def test_histograms_are_of_sizes_evenly_from_one_to_all_qids(sizes, drawn):
    assert drawn_sizes(list(sizes)) == drawn


def test_histograms_are_of_the_worst_probabilistic_subsets():
    assert spoken(success_histograms(BINS, WORST, words())) == (
        "1 attribute (2018): 2.00% certain. 2 attributes (2018): 30.00% certain."
    )


def test_without_certain_success_its_share_is_exactly_zero():
    rows = BINS[BINS["bin"] < 100]
    assert "certain: 0%" in written(success_histograms(rows, WORST, words()))


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


def test_the_certain_share_is_written_above_the_bars_that_it_would_cover():
    worst = WORST.iloc[[2]]
    low = pd.DataFrame(
        [
            {**subset("AGE", 0, 0), "bin": 50, "n_records": 60},
            {**subset("AGE", 0, 0), "bin": 60, "n_records": 38},
            {**subset("AGE", 0, 0), "bin": 100, "n_records": 2},
        ]
    )
    high = low.assign(bin=[50, 95, 100])
    (free,) = heights(success_histograms(low, worst, words()), "certain")
    (raised,) = heights(success_histograms(high, worst, words()), "certain")
    assert raised < free


def test_the_prior_is_written_above_the_axes_where_no_dot_is():
    svg = success_by_size(ROWS, WORST, words())
    assert max(heights(svg, "before")) < min(heights(svg, "100%"))
