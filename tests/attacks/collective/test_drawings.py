import re
from functools import cache
from xml.etree import ElementTree

import matplotlib
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.figures.success import (
    drawn_distributions,
    success_by_size,
    success_by_years,
    success_histograms,
    success_of_releases,
    worst_pairs,
)
from microleak.figures.marks import dot_rows, drawn_sizes
from microleak.figures.numbers import SYNTHETIC_MARK
from microleak.figures.slim import COLUMN, in_page
from microleak.tables import rows as tables
from tests.figures.reading import SVG, spoken, words, written


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
    return root.findtext(f"{SVG}title"), drawn


@both_figures
def test_the_same_numbers_in_any_order_give_the_same_bytes(draw, rows):
    assert draw(rows[::-1], WORST[::-1], words()) == draw(rows, WORST, words())


def test_a_users_matplotlib_settings_do_not_matter_and_are_kept():
    plain = success_by_size(ROWS, WORST, words())
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.fonttype": "path"}):
        assert success_by_size(ROWS, WORST, words()) == plain
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


def test_panels_of_a_figure_show_its_drawing_from_end_to_end():
    svg = success_by_size(ROWS, WORST, words())
    (drawing,) = re.findall(r'<g id="(f[0-9a-f]{8}-drawing)"', svg)
    panels = in_page(svg).panels
    assert panels.count(f'<use href="#{drawing}"/>') == 2
    boxes = [map(float, box.split()) for box in re.findall('viewBox="(.*?)"', panels)]
    (left, _, width, _), (other_left, _, other_width, _) = boxes
    ends = (left, left + width, other_left + other_width)
    assert ends == pytest.approx((0, other_left, 2 * 72 * COLUMN), abs=0.1)


def test_the_title_of_histograms_says_of_how_many_success_is_likely(sensitive, title):
    rows, worst = (each.assign(sensitive=sensitive) for each in (BINS, WORST))
    assert titled(success_histograms(rows, worst, words()))[0] == title


def test_the_worst_of_each_size_and_the_prior_are_labelled_in_the_pages_language():
    labels = written(success_by_size(ROWS, WORST, words("pt")))
    assert {"4,0", "30,0", "11,0", "62,5"} <= set(labels)
    assert {"sem ataque (a priori): 0%", "sem ataque (a priori): 1,00%"} <= set(labels)


def test_histograms_are_of_sizes_evenly_from_one_to_all_qids(sizes, drawn):
    assert drawn_sizes(sizes) == drawn


def test_the_share_of_each_tenth_is_written_above_its_bar():
    texts = written(success_histograms(BINS, WORST, words()))
    assert [text for text in texts if text in ("2.0", "98.0", "70.0", "30.0")] == [
        *("98.0", "2.0", "70.0", "30.0")
    ]


def test_without_certain_success_its_share_is_exactly_zero():
    svg = success_histograms(BINS[BINS["bin"] < 100], WORST, words())
    assert "certain about 0% of all." in spoken(svg)


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


RELEASES = ["2017", "2018", "2019"]


def linked(auxiliary, n_certain, n_modal, qids="SCHOOL|STAGE"):
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
LINKED_WORST = PANELS.assign(criterion="probabilistic")


def test_each_group_of_bars_names_the_release_that_it_adds_and_its_values():
    texts = written(success_by_years(PANELS, LINKED_WORST, words("pt")))
    groups = ["sem ataque", "2014", "+ 2015", "+ 2016"]
    assert [text for text in texts if text in groups] == groups
    assert {"0", "0,1", "1,4", "4,2", "12,8", "20,0", "25,2", "34,3"} <= set(texts)


def test_success_by_size_is_drawn_for_the_focal_release_and_for_all_linked():
    svg = success_by_size(PANELS, LINKED_WORST, words())
    texts = written(svg)
    titles = [text for text in texts if text.startswith("Found with certainty")]
    assert titles == [
        "Found with certainty: up to 1.40% (2014)",
        "Found with certainty: up to",
    ]
    # A title that is wider than its panel has two lines, as long as each other.
    assert texts[texts.index(titles[1]) + 1] == "25.20% (2014 + 2015 + 2016)"
    assert spoken(svg).startswith(
        "Share by the number of attributes known, re-identification. "
        "Each of the 4 combinations"
    )


def test_histograms_of_linked_releases_are_of_all_qids_panel_by_panel():
    bins = pd.concat([PANELS.assign(bin=100, n_records=7)])
    rows = [row for row, _ in drawn_distributions(bins, LINKED_WORST)]
    panels = ["2014", "2014 + 2015", "2014 + 2015 + 2016"]
    assert [tables.panel_label(row) for row in rows] == panels
    assert {row["qids"] for row in rows} == {"SCHOOL|STAGE"}


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


def test_the_worst_is_that_by_the_best_guess_then_by_certainty_then_the_first(
    pairs, certain, found
):
    rows = pd.DataFrame([pair(*each) for each in pairs])
    if certain:
        rows = rows.assign(posterior_det_later=certain)
    assert [[*each] for each in chosen(rows)] == found


def test_each_release_is_a_line_that_is_named_beside_it_from_the_lowest():
    svg = success_of_releases(PAIRS[::-1], RELEASES, words())
    texts = written(svg)
    panels = texts[: texts.index("Best guess of the value: ILL") + 1]
    named = [text for text in panels if text in RELEASES]
    assert named == [*RELEASES, *RELEASES, *RELEASES[1:], *RELEASES[1:]]


DRAWN = {
    "sizes": lambda said: success_by_size(ROWS, WORST, said),
    "histograms": lambda said: success_histograms(BINS, WORST, said),
    "years": lambda said: success_by_years(PANELS, LINKED_WORST, said),
    "releases": lambda said: success_of_releases(PAIRS, RELEASES, said),
    # Of the same table as the last
    "pairs": lambda said: success_of_releases(REIDENTIFICATION, RELEASES, said),
    "inference": lambda said: success_of_releases(PAIRS.iloc[5:], RELEASES, said),
}


@cache
def drawn(kind, language="en"):
    return DRAWN[kind](words(language))


def test_the_description_says_the_numbers_that_are_seen(kind, said):
    assert spoken(drawn(kind)) == said


def test_the_title_says_what_the_newest_releases_give_away(kind, language, title):
    assert titled(drawn(kind, language))[0] == title


def test_each_subject_has_axes_of_its_own():
    subjects = ("Found", "Best guess", "Value")
    texts = written(drawn("releases"))
    assert [text for text in texts if text.startswith(subjects)] == [
        *("Found with certainty", "Found by the best guess"),
        *("Value known for certain: ILL", "Best guess of the value: ILL"),
    ]


def test_the_same_numbers_in_any_order_give_the_same_bytes_of_linked_releases():
    turned = success_by_years(PANELS[::-1], LINKED_WORST[::-1], words())
    assert turned == drawn("years")


def test_a_synthetic_study_is_marked_and_no_other_and_figures_share_no_identifier():
    ids = []
    for kind in ("sizes", "histograms", "years", "releases"):
        assert SYNTHETIC_MARK not in drawn(kind)
        assert SYNTHETIC_MARK in written(DRAWN[kind](words(is_synthetic=True)))
        ids += re.findall(r'\bid="([^"]+)"', drawn(kind))
    assert len(ids) == len(set(ids))
