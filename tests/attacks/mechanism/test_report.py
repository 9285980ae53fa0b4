"""What the page says of noisy counts: Nunes' Example 33, and published tables."""

import re
from dataclasses import replace
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.mechanism.report import DRAW
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
    pairs,
    samples,
    scenario,
    simulated,
)
from tests.report.made import family_parts


def part(
    of_count=NO_COUNT,
    of_samples=NO_SAMPLES,
    of_pairs=NO_PAIRS,
    language="en",
    of_draws=NO_DRAWS,
):
    """The part of one analysis, its spaces made plain."""
    tables = {
        "mechanism": {"counts": of_count},
        "samples": {"counts": of_samples},
        "simulated": {"counts": of_draws},
        "pairs": {"counts": of_pairs},
    }
    figures = dict.fromkeys(paths(["counts"], language), "<svg/>")
    (found,) = family_parts(tables, figures, voice(language))
    plain = Sentences(tuple(plainly(text) for text in found.sentences))
    body = (plain, *(each for each in found.body if not isinstance(each, Sentences)))
    return replace(found, heading=plainly(found.heading), body=body)


def paths(names, language):
    """The paths of all figures that analyses of these names may have."""
    return [
        figure_name("mechanism", name, kind, language=language)
        for name in names
        for kind in DRAW
    ]


def plainly(text):
    return text.replace("\xa0", " ")


def saying(found, words):
    """The only sentence of a part that has some words."""
    (sentence,) = (text for text in found.sentences if words in text)
    return sentence


def rows_of(grid):
    return {row[0]: row[1:] for row in grid.rows}


def test_a_count_of_the_attribute_itself_is_told_with_the_chances_it_gives():
    assert part(scenario("A", ("ln 3", "ln 10"))).heading == (
        "An adversary who knows all other records guesses a person's “income” from a "
        "single noisy count (8 records, income equal to “medium”; oblivious mechanism) "
        "with a chance of 56.25% at ε = ln 3 and 68.18% at ε = ln 10, instead of "
        "50.00%"
    )


def test_the_smallest_epsilon_is_told_first_however_the_study_lists_them():
    turned = part(scenario("A", ("ln 10", "0.5", "ln 3")))
    assert turned.heading == part(scenario("A", ("0.5", "ln 3", "ln 10"))).heading
    assert [row[0] for row in turned.grids[0].rows][2:5] == ["0.5", "ln 3", "ln 10"]


def test_a_count_that_helps_at_no_epsilon_is_said_not_to_help():
    told = part(scenario("B"))
    assert (
        "An adversary who knows all other records gains nothing from a single noisy "
        "count (8 records"
    ) in told.heading
    assert told.heading.endswith("even at ε = ln 10 (privacy loss of 1.00000)")


def test_a_count_that_helps_with_little_noise_only_is_told_with_both_ends():
    told = part(scenario("D", ("ln 1.5", "ln 10")))
    assert told.heading.endswith(
        "with a chance of 68.18% at ε = ln 10, instead of 50.00%; at ε = ln 1.5 the "
        "count does not help"
    )


def test_a_gain_that_the_shown_chance_hides_is_told_by_the_loss():
    told = part(mechanism([[13_000, 12_290], [13_001, 11_709]], 0, ("ln 10^5",)))
    assert "gains hardly anything from a single noisy count" in told.heading
    assert "a person's “income” is 50.58% before" in told.heading
    assert told.heading.endswith("after, even at ε = ln 10⁵ (privacy loss of 1.00004)")


def test_the_local_mechanism_is_told_with_the_epsilon_that_helps_most():
    # Without noise the count of the first value tells nothing of the sensitive one.
    rows = mechanism([[1, 1, 0], [1, 0, 1]], 0, ("ln 3", "ln 10^12"), ("local",))
    assert part(rows).heading.endswith("of 52.07% at ε = ln 3, instead of 50.00%")


def test_what_the_count_is_worth_is_told_beside_guessing_without_it():
    assert saying(part(scenario("A")), "An analyst") == (
        "An analyst who knows how many of the other records are counted recovers the "
        "true count from the published one with a chance of 60.00% at ε = ln 1.5 and "
        "90.91% at ε = ln 10; without it, of 50.00%."
    )


def test_each_further_mechanism_is_told_with_the_same_epsilons():
    told = part(scenario("C"))
    assert saying(told, "Another mechanism, local") == (
        "Another mechanism, local (noise on each record, ordered values): from ε = ln "
        "1.5 to ε = ln 10, the chance of guessing the value goes from 51.24% to "
        "65.61%, and that of recovering the true count goes from 51.24% to 65.61%."
    )
    alone = part(scenario("C", models=("oblivious",)))
    assert not any("Another mechanism" in text for text in alone.sentences)


def test_what_noise_does_not_protect_is_told_with_the_counts_own_numbers():
    told = saying(part(scenario("C")), "still gives away")
    assert "count of “income” still gives away “country”" in told
    assert "avoids 100% of the errors" in told
    assert (
        "at ε = ln 10 the privacy loss is 1.81818; without noise it would be 2.0"
        in (told)
    )


def test_a_count_may_tell_nothing_of_an_attribute_that_another_would_tell():
    # Every value of the first is most frequent among the first and third of the other.
    rows = mechanism([[5, 4, 1], [0, 0, 3]], counted=0)
    told = saying(part(rows), "Another count of “country” may say more")
    assert "avoids 66.67% of the errors" in told
    assert "has a privacy loss of only 1.00000" in told


@pytest.mark.parametrize(
    ("letter", "words", "errors", "errors_back"),
    [
        ("B", "lowly-correlated", "0%", "0%"),
        ("C", "sensitive-inferrable-from-useful", "100%", "50.00%"),
        ("D", "useful-inferrable-from-sensitive", "50.00%", "100%"),
    ],
)
@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_scenario_is_told_in_the_papers_words_with_both_numbers(
    letter, words, errors, errors_back, language
):
    told = saying(part(scenario(letter), language=language), f"{letter} ")
    shares = re.findall(r"[\d.,]+%", told)
    assert f"“{words}”" in told
    assert [share.replace(",", ".") for share in shares] == [errors, errors_back]


def test_only_the_local_mechanism_is_told_to_exceed_the_loss_without_noise():
    exceeding = "At some ε the local mechanism may exceed the loss without noise"
    told = saying(part(scenario("C")), exceeding)
    assert told.endswith("never gives away more than a person's “income” itself would.")
    alone = part(scenario("C", models=("oblivious",)))
    assert not any(exceeding in text for text in alone.sentences)


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
    told = part(rows, samples(rows))
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
    told = part(rows, equal)
    words = "In all of 200 random samples of 6 records, the privacy loss"
    assert saying(told, words).count("95%") == 0
    assert told.grids[-1].rows[0][5:7] == ("–", "–")


def test_draws_are_told_with_the_most_noise_beside_the_exact_chance():
    rows = scenario("A", ("ln 10", "ln 3"), ("local", "oblivious"))
    assert part(rows, of_draws=simulated(rows)).sentences[-1] == (
        "In 1,000 draws of the oblivious mechanism (ε = ln 3), by exact sampling, the "
        "adversary guessed right in 57.25%; the chance computed is 56.25%. By chance "
        "alone, the two differ by more than 10.35 percentage points less than once in "
        "a billion times."
    )


def test_pairs_are_told_by_how_many_leak_and_by_the_worst():
    told = part(of_pairs=pairs(PEOPLE))
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


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        (Predicate("equals", (None,)), "equal to (missing)"),
        (Predicate("equals", ("(missing)",)), "equal to “(missing)”"),
        (Predicate("greater", ("18",)), "above “18”"),
        (Predicate("between", ("-5", "7")), "from “-5” to “7”"),
        (Predicate("in", tuple("abcd")), "one of 4 values"),
    ],
)
def test_a_predicate_is_told_in_words(predicate, said):
    assert predicate_text(*vars(predicate).values(), voice("en")) == said


@given(st.lists(st.none() | st.text(r"a|\ (", max_size=4), min_size=1, max_size=3))
def test_values_are_told_as_the_study_file_gives_them(values):
    written = ["(missing)" if v is None else f"“{v}”" for v in values]
    read = split_values(Predicate("in", tuple(values)).written_values)
    told = predicate_text("in", read, voice("en"))
    assert told == f"one of {', '.join(written)}"
