"""Nunes, section 2.3 and chapter 6: channels, and what a noisy count gives away."""

from fractions import Fraction

import numpy as np
import pytest

from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.channels import truncated_geometric
from microleak.attacks.mechanism.definitions.dependence import dependence
from microleak.attacks.mechanism.definitions.local_mechanism import (
    of_reports,
    reports,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import (
    bounds,
    oblivious,
)
from microleak.definitions.epsilon import Epsilon
from tests import naive_channels as channels
from tests.golden import golden, needs_golden
from tests.naive_mechanisms import context

PEOPLE = {
    "income": ["low", "low", *["medium"] * 4, "high", "high"],
    "gender": ["F", "M"] * 4,
    "country": ["BRA", "BRA", *["AUS"] * 4, "BRA", "BRA"],
}
DOMAINS = {
    "income": ["low", "medium", "high"],
    "gender": ["F", "M"],
    "country": ["AUS", "BRA"],
}
SCENARIOS = {
    "A": ("income", "income", "medium"),
    "B": ("income", "gender", "F"),
    "C": ("country", "income", "medium"),
    "D": ("income", "country", "BRA"),
}
"""Sensitive attribute, useful attribute and counted value of Example 33."""

ETHNICITY = [2306, 1132, 200, 1015, 21, 2]
"""Students of section 6.2.1 by TP_COR_RACA, from 0 to 5."""

MIXED = AttackContext(np.diag(ETHNICITY), np.arange(6) == 3)
ADULTS = AttackContext(np.array([[4676 - 1398, 1398]]), np.array([False, True]))


def table_6_1(scenario):
    sensitive, useful, counted = SCENARIOS[scenario]
    records = list(zip(PEOPLE[sensitive], PEOPLE[useful], strict=True))
    return context(records, DOMAINS[useful], lambda value: value == counted)


def of_the_two_models(attack, epsilon):
    alpha = Epsilon.parse(epsilon).alpha
    mechanism = truncated_geometric(alpha, attack.counts.shape[1] - 1)
    told = reports(mechanism, attack.is_counted)
    return oblivious(attack, alpha), of_reports(attack, told)


def printed(attack, epsilon, digits):
    """Loss and utility of the oblivious, then of the local mechanism, as printed."""
    return tuple(
        f"{float(measure):.{digits}f}"
        for found in of_the_two_models(attack, epsilon)
        for measure in (found.privacy_loss, found.utility)
    )


def exactly(numbers):
    return tuple(map(Fraction, numbers.split()))


def test_section_2_3_a_channel_doubles_what_the_adversary_knows():
    third = Fraction(1, 3)
    prior = [third] * 3
    rows = ("1 0 0 0", "0 1/2 1/4 1/4", "1/2 1/3 1/6 0")
    matrix = [*map(exactly, rows)]
    both = channels.joint(prior, matrix)
    assert both[2] == (Fraction(1, 6), Fraction(1, 9), Fraction(1, 18), 0)
    assert channels.outputs(both) == exactly("1/2 5/18 5/36 1/12")
    assert channels.posteriors(both)[2] == (0, Fraction(3, 5), Fraction(2, 5))
    assert channels.posterior_vulnerability(prior, matrix) == Fraction(2, 3)
    assert channels.multiplicative_leakage(prior, matrix) == 2
    assert channels.additive_leakage(prior, matrix) == third


def test_table_6_3_is_the_truncated_geometric_mechanism_of_one_half():
    rows = truncated_geometric(Fraction(1, 2), 5).fractions()
    assert rows[0] == exactly("2/3 1/6 1/12 1/24 1/48 1/48")
    assert rows[3] == exactly("1/12 1/12 1/6 1/3 1/6 1/6")
    assert rows[5] == rows[0][::-1]


@pytest.mark.parametrize(
    ("scenario", "epsilon", "table_6_4"),
    [
        ("A", "ln 1.5", ("1.0000", "0.6000", "1.0000", "0.5124")),
        ("A", "ln 3", ("1.1250", "0.7500", "1.0000", "0.5492")),
        ("A", "ln 10", ("1.3636", "0.9091", "1.0308", "0.6561")),
        ("B", "ln 1.5", ("1.0000", "0.6000", "1.0000", "0.5280")),
        ("B", "ln 3", ("1.0000", "0.7500", "1.0000", "0.5812")),
        ("B", "ln 10", ("1.0000", "0.9091", "1.0000", "0.7221")),
        ("C", "ln 1.5", ("1.2000", "0.6000", "1.0249", "0.5124")),
        ("C", "ln 3", ("1.5000", "0.7500", "1.0984", "0.5492")),
        ("C", "ln 10", ("1.8182", "0.9091", "1.3122", "0.6561")),
        ("D", "ln 1.5", ("1.0000", "0.6000", "1.0000", "0.5280")),
        ("D", "ln 3", ("1.1250", "0.7500", "1.0021", "0.5812")),
        ("D", "ln 10", ("1.3636", "0.9091", "1.0831", "0.7221")),
    ],
)
def test_table_6_4_has_loss_and_utility_of_example_33(scenario, epsilon, table_6_4):
    assert printed(table_6_1(scenario), epsilon, 4) == table_6_4


def test_local_results_change_with_the_order_of_the_useful_values():
    records = list(zip(PEOPLE["country"], PEOPLE["income"], strict=True))
    medium_last = context(records, ["low", "high", "medium"], lambda v: v == "medium")
    assert printed(table_6_1("C"), "ln 3", 4)[2] == "1.0984"
    assert printed(medium_last, "ln 3", 4)[2] == "1.2003"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_example_33_is_classified_as_the_paper_says(scenario):
    assert dependence(table_6_1(scenario).counts).scenario() == scenario


@pytest.mark.parametrize(
    ("epsilon", "table_6_5_a"),
    [
        ("ln 3", ("1.08012", "0.78293", "1.00000", "0.78293")),
        ("ln 5", ("1.20013", "0.83333", "1.00000", "0.78293")),
        ("ln 10", ("1.30923", "0.90909", "1.00000", "0.78293")),
        ("ln 30", ("1.39370", "0.96774", "1.00000", "0.78293")),
        ("ln 60", ("1.41655", "0.98361", "1.00000", "0.78293")),
        ("ln 100", ("1.42590", "0.99010", "1.00002", "0.78293")),
        ("ln 200", ("1.43299", "0.99502", "1.00092", "0.78295")),
        ("ln 500", ("1.43728", "0.99800", "1.01287", "0.78463")),
        ("ln 10^3", ("1.43872", "0.99900", "1.05148", "0.79899")),
        ("ln 10^5", ("1.44014", "0.99999", "1.42916", "0.99395")),
    ],
)
def test_table_6_5_scenario_a_is_met_to_every_printed_digit(epsilon, table_6_5_a):
    assert printed(MIXED, epsilon, 5) == table_6_5_a


@pytest.mark.parametrize(
    ("epsilon", "utility"),
    [("ln 3", "0.75000"), ("ln 30", "0.96774"), ("ln 10^5", "0.99999")],
)
def test_table_6_5_scenario_b_has_its_oblivious_utility(epsilon, utility):
    assert printed(ADULTS, epsilon, 5)[1] == utility


def test_table_6_5_has_bounds_as_printed_and_as_a_count_can_reach_them():
    found = bounds(MIXED)
    assert (found.loss_floor, found.utility_ceiling) == (1, 1)
    assert found.utility_floor_printed == Fraction(2306, 4676)
    assert found.utility_floor == Fraction(523, 668)
    assert found.loss_ceiling_printed == Fraction(4676, 2306)
    assert found.loss_noise_free == Fraction(3321, 2306)


OURS = golden("sec23_", "tab63_", "fn6_1_", "tab64_", "tab65_")
ENTRIES = {entry["id"]: entry for entry in OURS}
TABLE_6_4 = [name for name in ENTRIES if name.startswith("tab64_")]
TABLE_6_5 = [name for name in ENTRIES if name.startswith(("tab65_A", "tab65_B_ln"))]


def fractions(rows):
    return tuple(tuple(map(Fraction, row)) for row in rows)


@needs_golden
def test_golden_channel_is_met_exactly():
    entry = ENTRIES["sec23_qif"]
    prior = [Fraction(x) for x in entry["inputs"]["prior"]]
    matrix = fractions(entry["inputs"]["channel"])
    both = channels.joint(prior, matrix)
    exact = {name: value["exact"] for name, value in entry["expected"].items()}
    assert both == fractions(exact["joint"])
    assert (channels.outputs(both),) == fractions([exact["pY"]])
    assert channels.posteriors(both) == fractions(exact["posteriors"])
    assert channels.posterior_vulnerability(prior, matrix) == Fraction(exact["V_post"])
    assert channels.multiplicative_leakage(prior, matrix) == Fraction(exact["mult"])
    assert channels.additive_leakage(prior, matrix) == Fraction(exact["add"])


@needs_golden
def test_golden_table_6_3_is_met_exactly():
    exact = ENTRIES["tab63_truncated_geometric"]["expected"]["matrix"]["exact"]
    assert truncated_geometric(Fraction(1, 2), 5).fractions() == fractions(exact)


@needs_golden
@pytest.mark.parametrize("name", TABLE_6_4)
def test_golden_table_6_4_is_met_exactly(name):
    _, scenario, epsilon = name.split("_")
    oblivious_found, local_found = of_the_two_models(
        table_6_1(scenario), epsilon.replace("ln", "ln ")
    )
    found = {
        "obv_prior": oblivious_found.prior,
        "obv_post": oblivious_found.posterior,
        "obv_loss": oblivious_found.privacy_loss,
        "obv_utility": oblivious_found.utility,
        "loc_post": local_found.posterior,
        "loc_loss": local_found.privacy_loss,
        "loc_utility": local_found.utility,
    }
    expected = ENTRIES[name]["expected"].items()
    assert found == {key: Fraction(value["exact"]) for key, value in expected}
    assert local_found.error == 0


@needs_golden
@pytest.mark.parametrize("name", TABLE_6_5)
def test_golden_table_6_5_is_met_within_the_recursion_s_rounding(name):
    given, expected = ENTRIES[name]["inputs"], ENTRIES[name]["expected"]
    if "race_counts" in given:
        races = np.diag(list(given["race_counts"].values()))
        attack = AttackContext(races, np.arange(6) == 3)
    else:
        n, counted = given["n"], given["count_age_gt_18"]
        ages = np.array([[n - counted, counted]])
        attack = AttackContext(ages, np.array([False, True]))
    epsilon = name.split("_")[2].replace("ln", "ln ")
    oblivious_found, local_found = of_the_two_models(attack, epsilon)
    found = {
        "obv_loss": oblivious_found.privacy_loss,
        "obv_util": oblivious_found.utility,
        "loc_loss": local_found.privacy_loss,
        "loc_util": local_found.utility,
    }
    for key, value in expected.items():
        assert float(found[key]) == pytest.approx(value["decimal"], abs=1e-12), key


@needs_golden
def test_golden_fit_of_scenario_b_gives_the_local_utility():
    entry = ENTRIES["tab65_B_local_fit"]
    ages = entry["inputs"]["age_histogram"]
    adults = np.array([int(age) > 18 for age in ages])
    attack = AttackContext(np.array([list(ages.values())]), adults)
    for epsilon, value in entry["expected"].items():
        found = of_the_two_models(attack, epsilon)[1]
        assert f"{float(found.utility):.5f}" == f"{value['printed']:.5f}", epsilon
        assert found.privacy_loss == 1


@needs_golden
def test_golden_bounds_of_table_6_5_are_met_exactly():
    expected = ENTRIES["tab65_bounds"]["expected"].items()
    exact = {name: Fraction(value["exact"]) for name, value in expected}
    assert MIXED.prior == bounds(MIXED).utility_floor_printed == exact["prior_race"]
    assert bounds(MIXED).loss_ceiling_printed == exact["max_loss"]
    assert bounds(MIXED).loss_noise_free == exact["true_max_loss_A"]
    assert bounds(MIXED).utility_floor == exact["true_utility_floor_A"]
    assert bounds(ADULTS).utility_floor == exact["true_utility_floor_B"]


@needs_golden
def test_golden_numbers_of_chapter_6_are_not_overlooked():
    assert (len(ENTRIES), len(TABLE_6_4), len(TABLE_6_5)) == (37, 12, 20)
