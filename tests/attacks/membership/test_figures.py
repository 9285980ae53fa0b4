"""Figures of who is in a sample."""

from dataclasses import replace
from functools import cache

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.membership.figures import (
    membership,
    presence_bars,
    presence_by_size,
    unique_bars,
)
from microleak.figures.slim import in_page
from tests.attacks.membership.shown_rows import (
    MEASURES,
    PRESENCE,
    SHOWN,
    UNIQUES,
    present,
    unique,
)
from tests.examples import examples
from tests.figures.reading import spoken, words

counts = st.dictionaries(
    st.integers(0, 100), st.integers(1, 50), min_size=1, max_size=12
)


@cache
def drawn(draw):
    return draw(SHOWN, words())


@pytest.mark.parametrize("draw", [presence_by_size, presence_bars, unique_bars])
def test_the_order_of_rows_does_not_matter(draw):
    turned = membership(MEASURES[::-1], PRESENCE[::-1], UNIQUES[::-1])
    assert draw(turned, words()) == drawn(draw)


def test_the_description_says_the_worst_of_the_least_and_the_largest_size():
    assert spoken(drawn(presence_by_size)) == (
        "Mean chance by the number of attributes known. Each of the 3 combinations is "
        "a dot; dots of the same chance form a line. "
        "Worst combination of 1 attribute: 25.00% after the attack, 10.00% before. "
        "Worst combination of 2 attributes: 62.50% after the attack, 10.00% before."
    )


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

    assert in_page(drawn(unique_bars)).title == (
        "Unique in the population too: 4 of the 8 people who are unique in the sample"
    )


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
