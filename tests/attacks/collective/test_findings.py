import pandas as pd
import pytest

from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.findings import finding, headline_row
from microleak.report.texts import voice

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


def test_re_identification_is_told_with_its_qids_and_share(make_subset, make_worst):
    worst = make_worst(
        make_subset("CO_ENTIDADE", 1, 50), make_subset("CO_ENTIDADE|NU_DIA", 811, 900)
    )
    told = finding(worst, ENGLISH, PERSON)
    assert told.heading == (
        "Two facts about a person (school and day of the month of birth) "
        "single out 81.10% of the people (811 of 1,000), the highest share of any "
        "combination"
    )
    assert told.sentences == (
        "The adversary is certain about 0% of the people before the attack and about "
        "81.10% after it, a difference of 81.10 percentage points.",
        "Best guess: a person drawn at random is found with probability 0.10% "
        "before the attack and 90.00% after it (ratio 900).",
    )


def test_the_same_is_told_in_portuguese(make_subset, make_worst):
    worst = make_worst(make_subset("CO_ENTIDADE|NU_DIA", 811, 900))
    assert finding(worst, PORTUGUESE, PERSON).heading == (
        "Duas informações sobre uma pessoa (escola e dia do mês de nascimento) "
        "isolam 81,10% das pessoas (811 de 1.000), a maior parcela entre todas as "
        "combinações"
    )


def test_the_highest_certainty_is_told_first_and_then_what_fewer_facts_reach(
    make_subset, make_worst
):
    worst = make_worst(
        make_subset("TP_SEXO", 10, 50),
        make_subset("TP_SEXO|NU_MES", 618, 700),
        make_subset("TP_SEXO|NU_MES|CO_ENTIDADE", 929, 960),
    )
    assert finding(worst, ENGLISH, PERSON).heading == (
        "Three facts about a person (sex, month of birth and school) single out 92.90% "
        "of the people (929 of 1,000), the highest share of any combination; two facts "
        "(sex and month of birth) are enough for 61.80% (618)"
    )
    assert finding(worst, PORTUGUESE, PERSON).heading == (
        "Três informações sobre uma pessoa (sexo, mês de nascimento e escola) isolam "
        "92,90% das pessoas (929 de 1.000), a maior parcela entre todas as "
        "combinações; duas informações (sexo e mês de nascimento) bastam para 61,80% "
        "(618)"
    )


def test_of_combinations_with_the_same_certainty_the_smallest_is_told(
    make_subset, make_worst
):
    worst = make_worst(
        make_subset("TP_SEXO", 500, 600), make_subset("TP_SEXO|NU_MES", 500, 700)
    )
    assert finding(worst, ENGLISH, PERSON).heading == (
        "One fact about a person (sex) singles out 50.00% of the people (500 of "
        "1,000), the highest share of any combination"
    )


def test_one_qid_is_told_in_the_singular(make_subset, make_worst):
    worst = make_worst(make_subset("CO_ENTIDADE", 20, 50))
    assert finding(worst, ENGLISH, PERSON).heading == (
        "One fact about a person (school) singles out 2.00% of the people (20 of "
        "1,000), the highest share of any combination"
    )


def test_where_lines_are_not_persons_facts_are_about_a_record(make_subset, make_worst):
    worst = make_worst(make_subset("PA_IDADE", 20, 50))
    assert finding(worst, PORTUGUESE, RECORD).heading == (
        "Uma só informação sobre um registro (idade) isola 2,00% dos registros (20 "
        "de 1.000), a maior parcela entre todas as combinações"
    )


def test_nobody_unique_is_said_for_the_largest_combination(make_subset, make_worst):
    worst = make_worst(make_subset("A", 0, 2), make_subset("A|B", 0, 4))
    assert finding(worst, ENGLISH, PERSON).heading == (
        "No person is singled out with certainty, "
        "even with the worst combination of 2 attributes"
    )


def test_a_single_record_is_known_before_any_attack(make_subset, make_worst):
    worst = make_worst(make_subset("A", 1, 1, n_records=1, prior_det=1.0))
    assert finding(worst, ENGLISH, PERSON).heading == (
        "The table has one record only, known before any attack"
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


def test_where_releases_are_linked_the_facts_are_known_in_each(make_subset, make_worst):
    worst = make_worst(
        make_subset("CO_ENTIDADE", 100, 200),
        make_subset("CO_ENTIDADE", 400, 500, auxiliary="2019|2020"),
    )
    assert finding(worst, ENGLISH, PERSON).heading == (
        "One fact about a person (school, in each of 2018, 2019 and 2020) "
        "singles out 40.00% of the people (400 of 1,000), the highest share of any "
        "combination"
    )
    assert finding(worst, PORTUGUESE, PERSON).heading == (
        "Uma só informação sobre uma pessoa (escola, em cada uma das divulgações "
        "2018, 2019 e 2020) isola 40,00% das pessoas (400 de 1.000), a maior parcela "
        "entre todas as combinações"
    )


def test_where_releases_are_linked_only_all_facts_are_told(make_subset, make_worst):
    sizes = [("CO_ENTIDADE", 400), ("CO_ENTIDADE|TP_SEXO", 500)]
    worst = make_worst(
        *(make_subset(qids, n, 600, auxiliary="2019") for qids, n in sizes)
    )
    heading = finding(worst, ENGLISH, PERSON).heading
    assert heading.startswith("Two facts about")
    assert "enough" not in heading


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (("CO_ENTIDADE",), "school, in each of 2018 and 2019)"),
        (("TP_SEXO",), "school, as far as released in each of 2018 and 2019)"),
    ],
)
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
