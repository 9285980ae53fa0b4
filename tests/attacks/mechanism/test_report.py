"""What the page says of noisy counts, and its figures: Nunes' Example 33."""

import re
from dataclasses import replace
from functools import cache
from math import nan
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
from microleak.attacks.mechanism.report import DRAW, kinds
from microleak.records.record_filter import Predicate, split_values
from microleak.report.drawn import figure_name
from microleak.report.parts import Sentences
from microleak.report.texts import predicate_text, voice
from tests.attacks.mechanism.noisy_counts import (
    NO_COUNT,
    NO_DRAWS,
    NO_PAIRS,
    NO_SAMPLES,
    PEOPLE,
    mechanism,
    of_count,
    of_pairs,
    pairs,
    samples,
    scenario,
    simulated,
)
from tests.figures.reading import SVG, spoken, words, written
from tests.report.made import family_parts


def part(of_count=NO_COUNT, language="en", **others):
    """The part of one analysis, its spaces made plain."""
    none = {"samples": NO_SAMPLES, "simulated": NO_DRAWS, "pairs": NO_PAIRS}
    each = {"mechanism": of_count} | none | others
    tables = {kind: {"counts": rows} for kind, rows in each.items()}
    figures = {
        figure_name("mechanism", "counts", kind, language=language): "<svg/>"
        for kind in DRAW
    }
    (found,) = family_parts(tables, figures, voice(language))
    plain = Sentences(tuple(plainly(text) for text in found.sentences))
    body = (plain, *(each for each in found.body if not isinstance(each, Sentences)))
    return replace(found, heading=plainly(found.heading), body=body)


def plainly(text):
    return text.replace("\xa0", " ")


def saying(found, words):
    """The only sentence of a part that has some words."""
    (sentence,) = (text for text in found.sentences if words in text)
    return sentence


def rows_of(grid):
    return {row[0]: row[1:] for row in grid.rows}


def rows_for(count, *how):
    """Of a scenario by its letter, or of counts of which the first is told."""
    return (
        scenario(count, *how) if isinstance(count, str) else mechanism(count, 0, *how)
    )


def test_the_heading_tells_what_a_count_gives_away(count, epsilons, models, said):
    assert part(rows_for(count, epsilons, models)).heading == said


def test_of_a_count_is_told(count, said):
    assert said in part(rows_for(count)).sentences


def test_of_one_mechanism_nothing_is_told_of_another():
    told = " ".join(part(scenario("C", models=("oblivious",))).sentences)
    assert "Another mechanism" not in told
    assert "may exceed the loss without noise" not in told


def test_the_smallest_epsilon_is_told_first_however_the_study_lists_them():
    turned = part(scenario("A", ("ln 10", "0.5", "ln 3")))
    assert turned.heading == part(scenario("A", ("0.5", "ln 3", "ln 10"))).heading
    assert [row[0] for row in turned.grids[0].rows][2:5] == ["0.5", "ln 3", "ln 10"]


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_scenario_has_the_papers_words(letter, words, errors, errors_back, language):
    told = saying(part(scenario(letter), language=language), f"{letter} ")
    shares = re.findall(r"[\d.,]+%", told)
    assert f"“{words}”" in told
    assert [share.replace(",", ".") for share in shares] == [errors, errors_back]


def test_the_table_has_the_layout_of_table_6_5_and_the_numbers_of_table_6_4():
    grid = part(scenario("D")).grids[0]
    assert grid.headings == (
        "ε",
        "Oblivious: privacy loss",
        "Oblivious: utility",
        "Local: privacy loss",
        "Local: utility",
    )
    assert list(rows_of(grid).items()) == [
        ("Minimum as printed", ("1.00000", "0.50000") * 2),
        ("Minimum within reach", ("1.00000", "0.50000") * 2),
        ("ln 1.5", ("1.00000", "0.60000", "1.00000", "0.52799")),
        ("ln 3", ("1.12500", "0.75000", "1.00206", "0.58120")),
        ("ln 10", ("1.36364", "0.90909", "1.08310", "0.72207")),
        ("Limit as ε grows", ("1.50000", "1.00000") * 2),
        ("Maximum as printed", ("2.00000", "1.00000") * 2),
    ]


def test_random_samples_are_told_and_laid_out_where_there_are_any():
    rows = scenario("A", ("ln 3",), ("oblivious",))
    told = part(rows, samples=samples(rows))
    assert saying(told, "random samples") == (
        "In 200 random samples of 6 records, the privacy loss (oblivious mechanism, "
        "ε = ln 3) is 1.12500 on average (95% confidence interval of this mean: "
        "1.10540 to 1.14460) and between 1.012 and 1.238 in at least 95% of the "
        "samples; with all records it is 1.125."
    )
    assert told.grids[-1].rows == (
        (
            "ln 3",
            "Oblivious",
            "privacy loss",
            *("1.12500", "0.01000", "1.10540", "1.14460"),
            *("1.01250", "1.12500", "1.23750"),
        ),
        (
            *("ln 3", "Oblivious", "utility"),
            *("0.75000", "0.01000", "0.73040", "0.76960"),
            *("0.67500", "0.75000", "0.82500"),
        ),
    )
    assert len(part(rows).grids) == 3


def test_equal_samples_are_told_without_an_interval_of_their_mean():
    rows = scenario("A", ("ln 3",), ("oblivious",))
    equal = samples(rows, 1, 1).assign(standard_error=0.0, mean_low=nan, mean_high=nan)
    told = part(rows, samples=equal)
    words = "In all of 200 random samples of 6 records, the privacy loss"
    assert saying(told, words).count("95%") == 0
    assert told.grids[-1].rows[0][5:7] == ("–", "–")


def test_draws_are_told_with_the_most_noise_beside_the_exact_chance():
    rows = scenario("A", ("ln 10", "ln 3"), ("local", "oblivious"))
    assert part(rows, simulated=simulated(rows)).sentences[-1] == (
        "In 1,000 draws of the oblivious mechanism (ε = ln 3), by exact sampling, the "
        "adversary guessed right in 57.25%; the chance computed is 56.25%. By chance "
        "alone, the two differ by more than 10.35 percentage points less than once in "
        "a billion times."
    )


def test_pairs_are_told_by_how_many_leak_and_by_the_worst():
    told = part(pairs=pairs(PEOPLE))
    assert told.heading == (
        "In 2 of 6 pairs of attributes, a noisy count of one (oblivious mechanism, ε = "
        "ln 3) helps an adversary who knows all other records to guess the other; a "
        "count of “income” helps most and raises the chance of guessing “country” from "
        "50.00% to 75.00%"
    )
    assert "4 of 6" in saying(told, "avoids no error")
    assert saying(told, "Without noise").startswith(
        "Without noise, a count of “income” would give away most, about “country”, "
        "with a privacy loss of 2.00000: knowing the former avoids 100% of the errors "
        "in guessing the latter."
    )
    assert re.findall(r"([A-D]), .*?: (\d)", saying(told, "Example 33")) == [
        ("B", "4"),
        ("C", "1"),
        ("D", "1"),
    ]


def test_a_predicate_is_told_in_words(kind, values, said):
    assert predicate_text(kind, tuple(values), voice("en")) == said


@given(st.lists(st.none() | st.text(r"a|\ (", max_size=4), min_size=1, max_size=3))
def test_values_are_told_as_the_study_file_gives_them(values):
    written = ["(missing)" if v is None else f"“{v}”" for v in values]
    read = split_values(Predicate("in", tuple(values)).written_values)
    told = predicate_text("in", read, voice("en"))
    assert told == f"one of {', '.join(written)}"


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


def test_pairs_have_the_median_epsilon_however_it_is_written(epsilons, middle):
    """Of two the smaller; sizes are those of alpha, not of the text."""
    assert of_pairs(pairs(PEOPLE, epsilons)).middle == middle
