"""The sentence that tells of the worst that was measured, as INEP wrote it."""

import pandas as pd
import pytest

from microleak.attacks.collective.report.worst import summary, worst_row
from microleak.report.texts import voice
from tests.attacks.collective.explorable_study import pages_of, tables_of
from tests.collective_rows import subset, worst_of

N = 47_640_822
CENSUS = {"n_records": N}
THREE = "NU_MES|NU_ANO|CO_ENTIDADE"


def census():
    """The worst subset of three attributes in Nunes, Table E.3 (2019)."""
    return worst_of(subset(THREE, round(0.1180 * N), 14_119_984, **CENSUS))


def said(language, worst, unit="person"):
    return summary(worst, unit, voice(language))


def test_the_sentence_has_the_form_and_the_numbers_of_inep():
    assert said("pt", census()) == (
        "O uso de três identificadores (mês de nascimento, ano de nascimento e escola) "
        "permite a identificação de uma pessoa sorteada ao acaso, entre 47.640.822 "
        "pessoas, com probabilidade de acerto de até 29,64% (14.119.984 acertos "
        "esperados), a maior de todas as combinações medidas; sem isso, ela é de "
        "0,000002%. Adversário: alguém que sabe que a pessoa está na tabela e conhece "
        "dela essas informações, sem erro."
    )
    assert said("en", census()).startswith(
        "The use of three identifiers (month of birth, year of birth and school) "
        "allows a person drawn at random among 47,640,822 people to be identified "
        "with a probability of up to 29.64% (14,119,984 expected hits), the highest of "
        "all combinations measured; without it, the probability is 0.000002%. "
        "Adversary: somebody who knows that"
    )


@pytest.mark.parametrize(
    ("language", "beginning"),
    [("pt", "O uso de um só identificador (sexo)"), ("en", "The use of only one ide")],
)
def test_one_attribute_is_told_of_in_the_singular(language, beginning):
    worst = worst_of(subset("TP_SEXO", 500, 600))
    assert said(language, worst).startswith(beginning)


def test_a_line_of_a_table_without_persons_is_called_a_record():
    told = said("en", census(), unit="record")
    assert "a record drawn at random among 47,640,822 records" in told
    assert "that the record is in the table" in told


def test_an_inference_names_what_is_inferred():
    ill = subset("AGE", 500, 900, sensitive="ILL", prior_count=800)
    told = said("en", worst_of(ill))
    assert "allows “ILL” of a person drawn at random among 1,000 people" in told
    assert "up to 90.00% (900 expected hits), the highest of all combinations" in told
    assert "without it, the probability is 80.00%" in told


def test_linked_releases_are_named_with_the_adversary():
    rows = worst_of(
        subset("AGE", 100, 200),
        subset("AGE", 400, 500, auxiliary="2019"),
    )
    told = said("en", rows)
    assert "up to 50.00%" in told
    assert "in the first of the releases 2018 and 2019" in told


def test_no_combination_of_any_size_is_worse_than_the_one_told():
    # Two facts reach half of the highest certainty, and the finding is about them.
    sizes = [subset("A", 10, 50), subset("A|B", 300, 500), subset("A|B|C", 500, 700)]
    worst = worst_of(*sizes)
    assert worst_row(worst)["qids"] == "A|B|C"
    assert "up to 70.00% (700 expected hits)" in said("en", worst)


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


def test_every_section_of_a_chapter_has_a_sentence_and_the_answer_those_found_again():
    tables = tables_of()
    page = pages_of(tables, languages=["en"])["index.html"]
    _, _, answer = page.partition('class="answer"')
    answer = answer[: answer.index("</nav>")]
    assert page.count('<p class="summary">') == 3
    assert answer.count('<p class="summary">') == 1
    assert "allows a person drawn at random among 41,233 people" in answer
