"""Figures of noisy counts."""

import re
from functools import cache
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.mechanism.figures import (
    intervals_of_samples,
    loss_and_utility,
    loss_of_pairs,
    privacy_against_utility,
)
from microleak.attacks.mechanism.report import kinds
from microleak.report.texts import voice
from tests.attacks.mechanism.noisy_counts import (
    PEOPLE,
    of_count,
    of_pairs,
    pairs,
    samples,
    scenario,
)

SVG = "{http://www.w3.org/2000/svg}"
ROWS = scenario("C")
SAMPLED = of_count(ROWS, samples(ROWS))
OF_COUNT = [loss_and_utility, privacy_against_utility, intervals_of_samples]
DRAWN = {
    "epsilon": (loss_and_utility, SAMPLED),
    "tradeoff": (privacy_against_utility, SAMPLED),
    "samples": (intervals_of_samples, SAMPLED),
    "pairs": (loss_of_pairs, of_pairs(pairs(PEOPLE))),
}


def words(language="en", is_synthetic=False):
    return voice(language).words(is_synthetic)


@cache
def svg(kind, language="en", is_synthetic=False):
    draw, noisy = DRAWN[kind]
    return draw(noisy, words(language, is_synthetic))


def written(svg):
    found = [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    return [text.replace("\xa0", " ") for text in found]


def spoken(svg):
    return ElementTree.fromstring(svg).findtext(f"{SVG}desc").replace("\xa0", " ")


@pytest.mark.parametrize("kind", ["epsilon", "tradeoff", "samples"])
def test_the_order_of_epsilons_in_the_study_file_does_not_matter(kind):
    draw, _ = DRAWN[kind]
    turned = scenario("C", ("ln 10", "ln 1.5", "ln 3"))
    assert draw(of_count(turned, samples(turned)), words()) == svg(kind)


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
    found = ElementTree.fromstring(svg(kind)).findtext(f"{SVG}title")
    assert found.replace("\xa0", " ") == title


@pytest.mark.parametrize("draw", OF_COUNT)
def test_one_epsilon_alone_makes_a_figure(draw):
    rows = scenario("A", ("ln 3",))
    assert "ln 3" in spoken(draw(of_count(rows, samples(rows)), words()))


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


@given(st.floats(1, 1000, exclude_min=True))
def test_a_loss_above_1_is_never_written_as_none(loss):
    assert words().numbers.two_decimals(loss) != "1"


@pytest.mark.parametrize(
    ("epsilons", "middle"),
    [
        (("0.5", "ln 3", "700"), "ln 3"),
        (("ln 10^5", "0.5", "ln 3/2"), "0.5"),
        (("10", "9", "ln 10^300", "0.000000000001"), "9"),
        (("ln3", "ln 1.1^2"), "ln 1.1^2"),
    ],
)
def test_pairs_are_drawn_with_the_median_epsilon_however_it_is_written(
    epsilons, middle
):
    """Of two the smaller; sizes are those of alpha, not of the text."""
    assert of_pairs(pairs(PEOPLE, epsilons)).middle == middle
