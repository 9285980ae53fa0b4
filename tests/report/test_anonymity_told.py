"""What the page says of anonymity models."""

import pytest

from microleak.errors import StudyError
from microleak.report.anonymity import anonymity_parts
from microleak.report.anonymity_drawing import anonymity_kinds, anonymity_path
from microleak.report.texts import voice
from tests.report.anonymity_study import public, study

ENGLISH = voice("en", is_published=False)
PORTUGUESE = voice("pt", is_published=False)
PUBLIC = voice("en", is_published=True)


def tables(found):
    return {"anonymity": {"survey": found.rows}, "classes": {"survey": found.classes}}


def part_of(found, speaker=ENGLISH):
    figures = {
        anonymity_path(found, *kind, speaker.language): "<svg></svg>"
        for kind in anonymity_kinds(found)
    }
    (part,) = anonymity_parts(tables(found), figures, speaker)
    return part


def grid(part, beginning):
    """The one table whose caption begins so."""
    (found,) = (grid for grid in part.grids if grid.caption.startswith(beginning))
    return found


def test_a_heading_says_k_and_how_many_records_are_below_five():
    assert part_of(study()).heading == (
        "To someone who knows 2 attributes, k = 1: 30.00% of the records (300 of "
        "1,000) are in blocks of fewer than 5"
    )


def test_the_same_is_said_in_portuguese():
    part = part_of(study(), PORTUGUESE)
    assert part.heading == (
        "Para quem conhece 2 atributos, k = 1: 30,00% dos registros (300 de 1.000) "
        "estão em blocos de menos de 5"
    )
    assert part.sentences == (
        "Um bloco reúne os registros iguais em AGE e TOWN. Em blocos de menos de 2, 3, "
        "5 e 10 registros estão, respectivamente, 160 (16,00%), 300 (30,00%), 300 "
        "(30,00%) e 300 (30,00%) de 1.000 registros.",
        "Já com 1 atributo (TOWN) k é 1: 60 de 1.000 registros estão sozinhos em seu "
        "bloco.",
    )


def test_a_table_without_small_blocks_is_said_to_have_none():
    sizes = {"TOWN": {20: 50}, "AGE|TOWN": {10: 20, 20: 40}}
    part = part_of(study(sizes=sizes))
    assert part.heading == (
        "To someone who knows 2 attributes, k = 10: none of the 1,000 records is in a "
        "block of fewer than 5"
    )
    assert part.sentences[1] == (
        "With none of the combinations measured is a record alone; with the worst of "
        "them (AGE and TOWN), k = 10."
    )


def test_it_is_said_what_was_measured_of_which_table():
    assert part_of(study(has_values=True)).measured == (
        "survey: table clinic, 2020; 1,000 records; 3 combinations of up to 2 "
        "attributes.",
        "Taken to be known (quasi-identifiers): AGE, TOWN.",
        "To be inferred (sensitive): ILL.",
    )


def test_entities_are_told_with_their_own_k():
    assert part_of(study(has_entities=True)).sentences[2] == (
        "If the rows of one person or entity count together, as in Google's service, "
        "k = 1: 30.00% of the entities (300 of 1,000) have the same rows as fewer than "
        "4 others."
    )


def test_a_sensitive_attribute_is_told_with_who_has_one_value_in_the_block():
    assert part_of(study(has_values=True)).sentences[2] == (
        "“ILL”: l = 1. In blocks with one value only there are 30.00% of the records "
        "(300): of whoever is in them, the value is known. t = 0.8750, on a scale from "
        "0 to 1: that is how far the most distant block is from the whole table."
    )


def test_a_counted_population_is_told_before_the_estimates():
    assert part_of(study("counted")).sentences[2:] == (
        "The population has 10,000 records. 10.00% of the table's records (100 of "
        "1,000) fit fewer than 5 of them.",
        "k-map, the least number of people of the population that a record fits, is 1.",
        "δ-presence: the chance that a person of the population is in the table runs "
        "from 8.73% to 100%, depending on their attributes.",
        "Of the 160 records alone in the table, 100 are unique in the population too.",
        "From the sample alone the models would estimate from 0.01% (Poisson) to "
        "55.94% (Zayatz).",
    )


def test_a_record_that_nobody_of_the_population_fits_makes_k_map_zero():
    found = study("counted")
    found.rows["k_map"] = found.rows["k_map"].mask(found.rows["n_qids"] == 2, 0)
    assert part_of(found).sentences[3].startswith("k-map is 0: there are records whose")


def test_a_population_known_by_its_size_has_estimates_only():
    sentences = part_of(study("known")).sentences
    assert len(sentences) == 3
    assert sentences[2].startswith(
        "Of the population only the size is known, 10,000. So it is estimated how many "
        "of the 160 records alone in the table are unique in the population too: from "
        "0.01% (Poisson) to 55.94% (Zayatz), depending on the model. All assume a "
        "simple random sample;"
    )


def test_without_records_alone_nothing_is_estimated():
    part = part_of(study("known", sizes={"TOWN": {20: 50}, "AGE|TOWN": {10: 100}}))
    assert len(part.sentences) == 2


def test_the_worst_subset_of_each_size_has_a_row():
    worst = grid(part_of(study()), "k-anonymity: the worst")
    assert worst.rows == (
        ("1", "TOWN", "1", "60 (6.00%)", "60 (6.00%)", "100 (10.00%)", "100 (10.00%)"),
        (
            *("2", "AGE, TOWN", "1", "160 (16.00%)"),
            *("300 (30.00%)", "300 (30.00%)", "300 (30.00%)"),
        ),
    )


def test_where_no_c_is_enough_it_is_said_and_an_absent_order_has_no_column():
    values = grid(part_of(study(has_values=True)), "l-diversity and t-closeness")
    assert "t, ordered distance" not in values.headings
    assert values.rows[0] == ("1", "TOWN", "1", "1", "no c", "no c", "0.7500")


def test_models_stand_below_what_was_counted():
    models = grid(part_of(study("counted")), "Of the records alone")
    assert [(row[0], *row[2:]) for row in models.rows] == [
        ("Counted in the population", "62.50%", "–", "100"),
        ("negative binomial", "10.00%", "25.58%", "16"),
        ("Poisson", "0.01%", "11.11%", "0"),
        ("Zayatz", "55.94%", "77.97%", "90"),
        ("Poisson-gamma", "10.36%", "26.86%", "17"),
    ]


def test_a_model_without_an_estimate_has_a_dash():
    sizes = {"TOWN": {1: 50, 950: 1}, "AGE|TOWN": {1: 100, 900: 1}}
    models = grid(part_of(study("known", sizes=sizes)), "Of the records alone")
    assert models.rows[-1][0] == "Poisson-gamma"
    assert models.rows[-1][2:] == ("–", "–", "–")


def test_each_number_stands_beside_its_definition_and_its_namesakes():
    meanings = grid(part_of(study()), "What each number counts")
    assert [row[:2] for row in meanings.rows] == [
        ("k", "1"),
        ("Records in blocks of fewer than 5", "300"),
        ("Combinations of at most 5 records", "230"),
    ]
    assert "sdcMicro prints the same records" in meanings.rows[1][3]
    assert "mu-ARGUS counts unsafe combinations" in meanings.rows[2][3]


def test_a_histogram_has_bounds_counts_and_shares_of_blocks_and_records():
    histogram = grid(part_of(study()), "Numbers behind the figure: histogram of k")
    assert histogram.is_folded
    assert histogram.rows[:3] == (
        ("1", "1", "60", "84.51%", "60", "6.00%"),
        ("1", "3–4", "10", "14.08%", "40", "4.00%"),
        ("1", "500–900", "1", "1.41%", "900", "90.00%"),
    )


def test_histograms_of_entities_and_of_k_map_are_tables_too():
    part = part_of(study("counted", has_entities=True))
    assert grid(part, "Histogram of k-anonymity of entities").headings[4] == "Entities"
    assert grid(part, "Histogram of k-map").rows[0][1] == "2"


def test_the_highest_shares_of_each_size_stand_below_the_figure():
    below = grid(part_of(study()), "Numbers behind the figure: highest share")
    assert below.rows == (
        ("1", "6.00%", "6.00%", "10.00%", "10.00%"),
        ("2", "16.00%", "30.00%", "30.00%", "30.00%"),
    )


def test_the_files_of_both_tables_are_linked():
    assert [path for path, _ in part_of(study()).downloads] == [
        "data/survey-anonymity.csv",
        "data/survey-classes.csv",
    ]


def test_each_figure_has_a_caption_and_a_missing_one_is_named():
    found = study("counted", has_values=True)
    assert len(part_of(found).drawings) == 4
    with pytest.raises(StudyError, match="lacks the figure anonymity-survey-bel"):
        list(anonymity_parts(tables(found), {}, ENGLISH))


def test_a_published_part_says_what_is_suppressed_and_no_l():
    part = part_of(public(study("counted", has_values=True)), PUBLIC)
    assert part.heading == (
        "To someone who knows 2 attributes, k < 10: 30% of the records (300 of 1,000) "
        "are in blocks of fewer than 5"
    )
    assert part.sentences[2].endswith("is known. l and t are not published.")
    assert not any(grid.caption.startswith("l-div") for grid in part.grids)
    assert grid(part, "k-anonymity: the worst").rows[0][2] == "suppressed"


def test_a_published_table_that_is_too_small_says_so():
    sizes = {"TOWN": {1: 10, 50: 1}, "AGE|TOWN": {1: 20, 40: 1}}
    part = part_of(public(study(sizes=sizes)), PUBLIC)
    assert part.heading == (
        "To someone who knows 2 attributes, how many of the 60 records are in blocks "
        "of fewer than 5 is not published: they are too few, or the table is small"
    )
    assert len(part.sentences) == 1


@pytest.mark.parametrize("language", ["pt", "en"])
def test_nothing_is_written_as_missing(language):
    found = study("counted", has_values=True, has_entities=True)
    for each, is_published in ((found, False), (public(found), True)):
        part = part_of(each, voice(language, is_published))
        said = [*part.sentences, *(c for g in part.grids for r in g.rows for c in r)]
        assert not any("nan" in text.split() or "<NA>" in text for text in said)
