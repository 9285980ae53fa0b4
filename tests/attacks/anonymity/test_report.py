"""What the page says of anonymity models."""

import pytest

from microleak.attacks.anonymity.figures import (
    K_ANONYMITY,
    K_MAP,
    L_DIVERSITY,
    AnonymityRows,
)
from microleak.attacks.anonymity.report import anonymity_kinds
from microleak.report.drawn import figure_name, of_attribute
from microleak.report.texts import voice
from tests.attacks.anonymity.anonymity_study import study
from tests.report.made import family_parts

ENGLISH = voice("en")
PORTUGUESE = voice("pt")


@pytest.fixture(scope="module")
def every():
    """What every model finds, in the table, its entities and its population."""
    return study("counted", has_values=True, has_entities=True)


def tables(found):
    return {"anonymity": {"survey": found.rows}, "classes": {"survey": found.classes}}


def part_of(found, speaker=ENGLISH):
    figures = {
        figure_name(
            "anonymity", "survey", of_attribute(*kind), language=speaker.language
        ): "<svg></svg>"
        for kind in anonymity_kinds(found)
    }
    (part,) = family_parts(tables(found), figures, speaker)
    return part


def grid(part, beginning):
    """The one table whose caption begins so."""
    (found,) = (grid for grid in part.grids if grid.caption.startswith(beginning))
    return found


def test_a_heading_says_k_and_how_many_records_are_below_five():
    assert part_of(study()).heading == (
        "30.00% of the records (300 of 1,000) are in blocks of fewer than 5 for "
        "someone who knows 2 attributes (k = 1)"
    )


def test_the_same_is_said_in_portuguese():
    part = part_of(study(), PORTUGUESE)
    assert part.heading == (
        "30,00% dos registros (300 de 1.000) estão em blocos de menos de 5 para quem "
        "conhece 2 atributos (k = 1)"
    )
    assert part.sentences == (
        "Um bloco reúne os registros iguais em AGE e TOWN; um valor ausente só é igual "
        "a outro ausente. Registros em blocos de menos de 2, 3, 5 e 10, "
        "respectivamente: 160 (16,00%), 300 (30,00%), 300 (30,00%) e 300 (30,00%); de "
        "1.000 ao todo.",
        "Já com 1 atributo (TOWN), o k dos registros é 1. Sozinhos em seu bloco: 60 de "
        "1.000.",
    )


def test_a_table_without_small_blocks_is_said_to_have_none():
    sizes = {"TOWN": {20: 50}, "AGE|TOWN": {10: 20, 20: 40}}
    part = part_of(study(sizes=sizes))
    assert part.heading == (
        "None of the 1,000 records is in a block of fewer than 5 for someone who knows "
        "2 attributes (k = 10)"
    )
    assert part.sentences[1] == (
        "No record is alone with any of the combinations measured; with the worst of "
        "them (AGE and TOWN), k = 10."
    )


def test_it_is_said_what_was_measured_of_which_table():
    assert part_of(study(has_values=True)).measured == (
        "survey: table clinic, 2020; 1,000 records; 3 combinations of up to 2 "
        "attributes.",
        "Facts that the adversary may know (quasi-identifiers): AGE and TOWN.",
        "Facts to protect (sensitive attributes): ILL.",
    )


def test_entities_have_the_heading_and_records_come_second():
    part = part_of(study(has_entities=True))
    assert part.heading == (
        "30.00% of the entities (300 of 1,000) are in blocks of fewer than 5 entities "
        "with the same rows for someone who knows 2 attributes in every row (k = 1)"
    )
    entities, records = part.sentences[:2]
    assert entities.startswith(
        "The rows of one person or entity count together, as in Google's service: two "
        "entities share a block if their rows agree on AGE and TOWN,"
    )
    assert records.startswith("Each record by itself: k = 1. A block holds the records")


def with_worst_of_one_attribute(found, model):
    """The same, of which the worst subset of one model is the first of its sizes."""
    is_other = (found.classes["model"] == model) & (found.classes["n_qids"] > 1)
    return AnonymityRows(found.rows, found.classes[~is_other])


@pytest.mark.parametrize(
    ("model", "beginning"),
    [
        (L_DIVERSITY, "“ILL”: l = 1."),
        (K_MAP, "The population has 10,000 records."),
        (K_ANONYMITY, "Records alone in the table: 60."),
    ],
)
def test_sentences_name_a_worst_combination_that_is_not_the_headings(
    every, model, beginning
):
    told = part_of(with_worst_of_one_attribute(every, model)).sentences
    (sentence,) = [each for each in told if each.startswith(beginning)]
    assert sentence.endswith("These are the numbers for another combination: TOWN.")


def test_a_sensitive_attribute_is_told_with_who_has_one_value_in_the_block():
    assert part_of(study(has_values=True)).sentences[2] == (
        "“ILL”: l = 1. 30.00% of the records (300) are in blocks with a single value, "
        "which is then known for everybody in them (or known to be missing). t = "
        "0.8750, on a scale from 0 to 1: the distance of the most distant block from "
        "the whole table."
    )


def test_a_counted_population_is_told_before_the_estimates():
    assert part_of(study("counted")).sentences[2:] == (
        "The population has 10,000 records. 10.00% of the table's records (100 of "
        "1,000) match fewer than 5 of them.",
        "k-map, the lowest number of people of the population that a record matches, "
        "is 1.",
        "δ-presence: the chance that a person of the population is in the table runs "
        "from 8.73% to 100%, depending on their attributes.",
        "Records alone in the table: 160. Of these, unique in the population too: 100 "
        "(62.50%).",
        "Estimated from the table alone, the share of the records alone in it (160) "
        "that is unique in the population too: from 0.01% (Poisson) to 55.94% "
        "(Zayatz), depending on the model.",
    )


def test_a_record_that_nobody_of_the_population_fits_makes_k_map_zero():
    found = study("counted")
    found.rows["k_map"] = found.rows["k_map"].mask(found.rows["n_qids"] == 2, 0)
    assert (
        part_of(found).sentences[3].startswith("k-map is 0: nobody in the population")
    )


def test_a_population_known_by_its_size_has_estimates_only():
    sentences = part_of(study("known")).sentences
    assert len(sentences) == 3
    assert sentences[2].startswith(
        "Only the size of the population is known, 10,000, so that the share of the "
        "records alone in the table (160) that is unique in the population too can "
        "only be estimated: from 0.01% (Poisson) to 55.94% (Zayatz), depending on the "
        "model. All models assume a simple random sample;"
    )


def test_without_records_alone_nobody_is_unique_and_nothing_is_estimated():
    part = part_of(study("known", sizes={"TOWN": {20: 50}, "AGE|TOWN": {10: 100}}))
    *others, last = part.sentences
    assert len(others) == 2
    assert last.startswith("No record is alone in the table, so nobody in it is unique")


@pytest.mark.parametrize(
    ("speaker", "one"), [(ENGLISH, "; 1 record; "), (PORTUGUESE, "; 1 registro; ")]
)
def test_a_table_of_one_record_is_told_in_the_singular(speaker, one):
    sizes = {"TOWN": {1: 1}, "AGE|TOWN": {1: 1}}
    part = part_of(study(sizes=sizes), speaker)
    assert one in part.measured[0]
    said = [part.heading, *part.measured, *part.sentences]
    assert not any("1 records" in text or "1 registros" in text for text in said)


def test_the_worst_subset_of_each_size_has_a_row():
    worst = grid(part_of(study()), "k-anonymity: the worst")
    assert worst.rows == (
        ("1", "TOWN", "1", "60 (6.00%)", "60 (6.00%)", "100 (10.00%)", "100 (10.00%)"),
        (
            *("2", "AGE, TOWN", "1", "160 (16.00%)"),
            *("300 (30.00%)", "300 (30.00%)", "300 (30.00%)"),
        ),
    )


def test_models_stand_below_what_was_counted():
    models = grid(part_of(study("counted")), "Of the records alone")
    assert [(row[0], *row[2:]) for row in models.rows] == [
        ("Counted in the population", "62.50%", "–", "100"),
        ("negative binomial", "10.00%", "25.58%", "16"),
        ("Poisson", "0.01%", "11.11%", "0"),
        ("Zayatz", "55.94%", "77.97%", "90"),
        ("Poisson-gamma", "10.36%", "26.86%", "17"),
    ]


def test_each_number_stands_beside_its_definition_and_its_namesakes():
    meanings = grid(part_of(study()), "What each number counts")
    assert [row[:2] for row in meanings.rows] == [
        ("k", "1"),
        ("Records in blocks of fewer than 5", "300"),
        ("Combinations of at most 5 records", "230"),
    ]
    assert "sdcMicro prints the same records" in meanings.rows[1][3]
    assert "riskyCells counts the same blocks" in meanings.rows[2][3]


def test_a_histogram_has_bounds_counts_and_shares_of_blocks_and_records():
    histogram = grid(part_of(study()), "Numbers behind the figure: histogram of k")
    assert histogram.is_folded
    assert histogram.rows[:3] == (
        ("1", "1", "60", "84.51%", "60", "6.00%"),
        ("1", "3–4", "10", "14.08%", "40", "4.00%"),
        ("1", "500–900", "1", "1.41%", "900", "90.00%"),
    )
