"""Figures of who is in a sample."""

import re
from dataclasses import replace
from functools import cache

import matplotlib
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.membership.figures import (
    presence_bars,
    presence_by_size,
    unique_bars,
)
from microleak.attacks.membership.rows import membership
from microleak.figures.slim import in_page
from microleak.figures.svg import VERMILION
from tests.attacks.membership.shown_rows import (
    MEASURES,
    PRESENCE,
    SHOWN,
    UNIQUES,
    present,
    unique,
)
from tests.examples import examples
from tests.figures.reading import spoken, words, written

FIGURES = [presence_by_size, presence_bars, unique_bars]
every_figure = pytest.mark.parametrize("draw", FIGURES)
counts = st.dictionaries(
    st.integers(0, 100), st.integers(1, 50), min_size=1, max_size=12
)


@cache
def drawn(draw, language="en", is_synthetic=False):
    """A figure of the tables that can be seen, drawn once."""
    return draw(SHOWN, words(language, is_synthetic))


def dots(svg):
    """Places of the dots: lines that end where they begin."""
    return re.findall(r"M (\S+ \S+) \nL \1", svg)


@every_figure
def test_the_order_of_rows_and_a_users_settings_do_not_matter(draw):
    turned = membership(MEASURES[::-1], PRESENCE[::-1], UNIQUES[::-1])
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.fonttype": "path"}):
        assert draw(turned, words()) == drawn(draw)


def test_the_worst_of_each_size_and_the_prior_are_labelled_in_the_pages_language():
    texts = written(drawn(presence_by_size, "pt"))
    assert {"25,0%", "62,5%", "sem ataque (a priori): 10,00%"} <= {*texts}
    assert "12,5%" not in texts


def test_the_description_says_the_worst_of_the_least_and_the_largest_size():
    assert spoken(drawn(presence_by_size)) == (
        "Mean chance by the number of attributes known. Each of the 3 combinations is "
        "a dot; dots of the same chance form a line. "
        "Worst combination of 1 attribute: 25.00% after the attack, 10.00% before. "
        "Worst combination of 2 attributes: 62.50% after the attack, 10.00% before."
    )


def test_one_size_alone_makes_a_figure():
    alone = membership(MEASURES[2:], PRESENCE[3:], UNIQUES[1:])
    assert "62.5%" in written(presence_by_size(alone, words()))


def test_persons_of_both_tables_have_a_bar_for_each_class_of_the_chance():
    texts = written(drawn(presence_bars))
    labels = "<1%", "1 to <2%", "20 to <50%", "50 to <100%", "100%"
    assert all(texts.count(label) == 2 for label in labels)
    of_sample = texts[: texts.index("People of the sample")]
    assert [text for text in of_sample if "." in text] == [
        "2.5%",
        "22.5%",
        "50.0%",
        "25.0%",
    ]


def test_the_description_says_the_shares_that_are_seen():
    said = spoken(drawn(presence_bars))
    assert "in it: <1%: 2.5%; 1 to <2%: 0%;" in said
    assert said.endswith("50 to <100%: 10.0%; 100%: 2.5%.")


def test_uniques_are_counted_by_whom_they_fit():
    assert spoken(drawn(unique_bars)) == (
        "People unique in the sample, by how many people of the population have their "
        "values: 0: 1; 1: 4; 2: 0; 3 to 4: 2; 5 to 9: 0; 10 to 19: 0; 20 to 49: 0; "
        "50 to 99: 0; 100 or more: 1."
    )


def test_the_title_counts_the_uniques_that_are_unique_in_the_population():
    assert in_page(drawn(unique_bars)).title == (
        "Unique in the population too: 4 of the 8 people who are unique in the sample"
    )


def test_only_those_whose_presence_is_certain_are_orange():
    svg = drawn(unique_bars)
    assert svg.count(f"fill: {VERMILION.lower()}") == 1


def test_nobody_alone_in_the_sample_makes_a_figure_without_bars():
    nobody = replace(SHOWN, uniques=UNIQUES[:0])
    assert "100 or more: 0." in spoken(unique_bars(nobody, words()))


@examples(30)
@given(counts)
def test_classes_of_the_chance_have_the_persons_of_their_bins(bins):
    shown = replace(SHOWN, presence=pd.DataFrame(present("AGE", "sample", bins)))
    classes = shown.persons(MEASURES.iloc[0], "sample")
    for part in classes:
        below = 101 if part.upper is None else part.upper
        within = [n for b, n in bins.items() if part.lower <= b < below]
        assert (part.n_records, part.share) == (sum(within), sum(within) / 40)


@examples(30)
@given(counts)
def test_classes_of_uniques_count_each_person_once(fitting):
    shown = replace(SHOWN, uniques=pd.DataFrame(unique("AGE", fitting)))
    for part in shown.fitting(MEASURES.iloc[0]):
        last = 100 if part.upper is None else part.upper
        within = [n for size, n in fitting.items() if part.lower <= size <= last]
        assert part.n_sample_unique == sum(within)
