"""Figures of noisy counts."""

import re
from functools import cache
from xml.etree import ElementTree

import pytest

from microleak.attacks.mechanism.figures import (
    intervals_of_samples,
    loss_and_utility,
    loss_of_pairs,
    privacy_against_utility,
)
from microleak.attacks.mechanism.report import kinds
from tests.attacks.mechanism.noisy_counts import (
    PEOPLE,
    of_count,
    of_pairs,
    pairs,
    samples,
    scenario,
)
from tests.figures.reading import SVG, spoken, words, written

ROWS = scenario("C")
SAMPLED = of_count(ROWS, samples(ROWS))
OF_COUNT = [loss_and_utility, privacy_against_utility, intervals_of_samples]
DRAWN = {
    "epsilon": (loss_and_utility, SAMPLED),
    "tradeoff": (privacy_against_utility, SAMPLED),
    "samples": (intervals_of_samples, SAMPLED),
    "pairs": (loss_of_pairs, of_pairs(pairs(PEOPLE))),
}


@cache
def svg(kind):
    """A figure, its spaces made plain."""
    draw, noisy = DRAWN[kind]
    return draw(noisy, words()).replace("\xa0", " ")


@pytest.mark.parametrize("kind", ["epsilon", "tradeoff", "samples"])
def test_the_order_of_epsilons_in_the_study_file_does_not_matter(kind):
    draw, _ = DRAWN[kind]
    turned = scenario("C", ("ln 10", "ln 1.5", "ln 3"))
    found = draw(of_count(turned, samples(turned)), words())
    assert found.replace("\xa0", " ") == svg(kind)


def test_the_description_says_where_each_mechanism_starts_and_ends():
    assert spoken(svg("epsilon")) == (
        "oblivious (noise on the count), from ε = ln 1.5 to ε = ln 10: privacy loss "
        "from 1.20000 to 1.81818, utility from 0.60000 to 0.90909. "
        "local (noise on each record, ordered values), from ε = ln 1.5 to ε = ln 10: "
        "privacy loss from 1.02489 to 1.31218, utility from 0.51244 to 0.65609."
    )


def test_every_epsilon_of_every_mechanism_is_a_point_of_privacy_against_utility():
    said = spoken(svg("tradeoff"))
    assert "ε = ln 3, loss 1.50, utility 75.0%" in said
    assert said.count("utility") == len(ROWS)


def test_the_title_is_what_the_figure_found(kind, title):
    assert ElementTree.fromstring(svg(kind)).findtext(f"{SVG}title") == title


@pytest.mark.parametrize("draw", OF_COUNT)
def test_one_epsilon_alone_makes_a_figure(draw):
    rows = scenario("A", ("ln 3",))
    assert "ln\xa03" in spoken(draw(of_count(rows, samples(rows)), words()))


def test_pairs_are_drawn_with_noise_and_without():
    texts = written(svg("pairs"))
    noisy = texts.index("Privacy loss with ε = ln 3")
    free = texts.index("Privacy loss without noise")
    losses = [text for text in texts if re.fullmatch(r"1|\d\.\d\d", text)]
    # Rows are inferred, columns counted: income, gender and country.
    assert losses[:9] == ["1.12", "1", "1.12", "1", "1.50", "1", "1.50", "1", "1.50"]
    assert losses[9:] == ["1.50", "1", "1.50", "1", "2.00", "1", "2.00", "1", "2.00"]
    assert noisy < free


def test_the_description_of_pairs_says_what_infers_each_attribute_best():
    said = spoken(svg("pairs"))
    assert "country from counts of income, 1.50" in said
    assert "income from counts of income" not in said


def test_an_analysis_has_the_figures_that_its_tables_give():
    assert kinds(of_count(ROWS)) == ("epsilon", "tradeoff")
    assert kinds(SAMPLED) == ("epsilon", "tradeoff", "samples")
    assert kinds(of_pairs(pairs(PEOPLE))) == ("pairs",)


def test_pairs_are_drawn_with_the_median_epsilon_however_it_is_written(
    epsilons, middle
):
    """Of two the smaller; sizes are those of alpha, not of the text."""
    assert of_pairs(pairs(PEOPLE, epsilons)).middle == middle
