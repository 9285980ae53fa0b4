import pandas as pd

from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.contributions import worst_row
from microleak.attacks.collective.report.findings import finding, headline_row
from microleak.report.texts import voice
from tests.collective_rows import subset, worst_of

ENGLISH = voice("en")
PORTUGUESE = voice("pt")
PERSON, RECORD = Scope("person"), Scope("record")


def test_the_finding_is_about_the_fewest_qids_that_reach_half_of_the_highest(
    make_subset, make_worst
):
    rows = [make_subset("A", 10, 50), make_subset("A|B", 300, 500)]
    worst = make_worst(*rows, make_subset("A|B|C", 500, 700))
    certain = worst[worst["criterion"] == "deterministic"]
    assert headline_row(certain)["qids"] == "A|B"


def test_the_highest_certainty_is_told_and_which_fewer_facts_are_enough(
    make_subset, make_worst, language, unit, subsets, heading
):
    rows = [make_subset(*given, **more) for *given, more in subsets]
    told = finding(make_worst(*rows), voice(language), Scope(unit))
    assert told.heading == heading


def test_a_finding_is_told_in_detail(make_subset, make_worst):
    worst = make_worst(
        make_subset("CO_ENTIDADE", 1, 50), make_subset("CO_ENTIDADE|NU_DIA", 811, 900)
    )
    assert finding(worst, ENGLISH, PERSON).sentences == (
        "The adversary is certain about 0% of the people before the attack and about "
        "81.10% after it, a difference of 81.10 percentage points.",
        "Best guess: a person drawn at random is found with probability 0.10% "
        "before the attack and 90.00% after it (ratio 900).",
    )


def test_a_sensitive_attribute_with_one_value_is_known_before_any_attack(
    make_subset, make_worst
):
    constant = {"sensitive": "ILL", "prior_count": 1_000, "prior_det": 1.0}
    told = finding(
        make_worst(make_subset("A", 1_000, 1_000, **constant)), ENGLISH, PERSON
    )
    assert told.heading == (
        "“ILL” has the same value in every record and is known before any attack"
    )
    assert told.sentences == ()


def test_inference_tells_ratio_and_additive_leakage(make_subset, make_worst):
    worst = make_worst(make_subset("A", 123, 900, sensitive="ILL", prior_count=800))
    assert finding(worst, ENGLISH, PERSON).sentences[1] == (
        "Best guess: the value of a person drawn at random is guessed right with "
        "probability 80.00% before the attack and 90.00% after it "
        "(ratio 1.1250, additive leakage of 10.00 percentage points)."
    )


def test_facts_that_do_not_help_a_guess_are_said_not_to(make_subset, make_worst):
    worst = make_worst(make_subset("A", 123, 800, sensitive="ILL", prior_count=800))
    assert "these facts do not help" in finding(worst, ENGLISH, PERSON).sentences[1]


def test_where_releases_are_linked_only_all_facts_are_told(make_subset, make_worst):
    sizes = [("CO_ENTIDADE", 400), ("CO_ENTIDADE|TP_SEXO", 500)]
    worst = make_worst(
        *(make_subset(qids, n, 600, auxiliary="2019") for qids, n in sizes)
    )
    heading = finding(worst, ENGLISH, PERSON).heading
    assert heading.startswith("Two facts about")
    assert "enough" not in heading


def test_a_fact_that_a_linked_release_lacks_is_not_said_to_be_known_in_each(
    make_subset, make_worst, known, told
):
    worst = make_worst(make_subset("CO_ENTIDADE", 400, 500, auxiliary="2019"))
    heading = finding(worst, ENGLISH, Scope("person", {"2019": known})).heading
    assert heading.startswith(f"One fact about a person ({told}")


def test_what_a_release_lacks_that_is_not_linked_yet_is_known_in_each_that_is(
    make_subset,
):
    scope = Scope("person", {"2020": ("SEX",)})
    rows = [make_subset("AGE|SEX", 4, 5, auxiliary=a) for a in ("2019", "2019|2020")]
    assert [scope.is_partial(pd.Series(row)) for row in rows] == [False, True]


def test_an_inference_stands_beside_the_guess_made_without_it(make_subset, make_worst):
    worst = make_worst(make_subset("CO_ENTIDADE", 20, 50, sensitive="ILL"))
    told = finding(worst, ENGLISH, PERSON).beside
    assert told.startswith("Without any fact, the best guess of the value is already")
    assert finding(make_worst(make_subset("A", 20, 50)), ENGLISH, PERSON).beside == ""


def test_no_combination_of_any_size_is_worse_than_the_worst():
    sizes = [subset("A", 10, 50), subset("A|B", 300, 500), subset("A|B|C", 500, 700)]
    worst = worst_of(*sizes)
    assert worst_row(worst)["qids"] == "A|B|C"


def test_the_worst_by_the_best_guess_need_not_be_the_worst_by_certainty():
    certain = worst_of(subset("B|C", 800, 810))
    guess = worst_of(subset("A|B", 700, 850))
    by_det = certain[certain["criterion"] == "deterministic"]
    by_prob = guess[guess["criterion"] == "probabilistic"]
    assert worst_row(pd.concat([by_det, by_prob]))["qids"] == "A|B"


def test_of_equals_that_with_the_fewest_releases_and_then_facts_is_told():
    rows = [
        subset(qids, 400, 500, auxiliary=auxiliary)
        for auxiliary in ("2019|2020", "")
        for qids in ("A|B|C", "A|B")
    ]
    told = worst_row(worst_of(*rows))
    assert (told["qids"], told["auxiliary"]) == ("A|B", "")
