"""What the page says of who is in a sample."""

import pandas as pd
import pytest

from microleak.attacks.membership.report import KINDS
from microleak.report.parts import Sentences
from microleak.report.texts import voice
from tests.attacks.membership.shown_rows import (
    EXAMPLES,
    FINGERPRINTS,
    MEASURES,
    PRESENCE,
    ROUGH,
    UNIQUES,
    measured,
)
from tests.attacks.membership.test_membership import POPULATION, SAMPLE, tables
from tests.collective_rows import ingest_of
from tests.report.made import (
    AnyFigure,
    Made,
    Told,
    draw_families,
    family_parts,
    report_pages,
)
from tests.report.test_page import Parser

SILENT = ("SP", None, "31-40")
"""Who did not answer, and whom the population therefore does not have."""

INGEST = pd.concat(
    [ingest_of("people", {"1": 10}), ingest_of("survey", {"2": 4}, synthetic="true")]
)


def families(*tables):
    """Tables by family of one analysis, as its name says."""
    name = tables[0]["analysis"].iloc[0]
    by_name = ({name: rows} for rows in tables)
    return dict(zip(("membership", "presence", "uniques"), by_name, strict=True))


def measured_of(folder, sample):
    return families(*vars(tables(folder, POPULATION, sample)).values())


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return measured_of(tmp_path_factory.mktemp("example"), SAMPLE)


MADE = families(MEASURES, PRESENCE, UNIQUES)
FURTHER = MADE | {
    name: {"asked": EXAMPLES["sample"][name]}
    for name in ("designs", "answers", "fingerprints")
}


def part(tables, language="en"):
    (found,) = family_parts(tables, AnyFigure(), voice(language))
    return found


def said_of(told):
    return next(each.texts for each in told.body if isinstance(each, Sentences))


def grid(told, words):
    (found,) = [each for each in told.grids if words in each.caption]
    return found


def test_the_papers_example_is_told_in_words(example, language, where, said):
    told = part(example, language)
    found = {"heading": (told.heading,), "measured": told.measured}
    assert said in found.get(where, told.sentences)


def test_who_is_in_a_block_that_was_sampled_whole_is_certain_to_be_present(tmp_path):
    # Both women of MG were sampled: n = d = 2. Only the one of SP is alone.
    told = part(measured_of(tmp_path, [*POPULATION[:3], POPULATION[4]]))
    assert told.heading == (
        "Someone who knows two facts (state and sex) is certain that 3 (75.00%) of 4 "
        "people of the sample took part: everybody with the same values in the "
        "population of 10 is in the sample (unique in both tables: 1)"
    )


@pytest.mark.parametrize(
    ("differing", "why"),
    [
        ((3, 5), "which is not so: nobody in the population has the values of 3"),
        ((0, 2), "which is not so: some combinations of values (2) are more freq"),
    ],
)
def test_no_presence_is_said_to_be_certain_unless_the_sample_is_found_whole(
    differing, why
):
    names = ("n_not_found", "n_blocks_in_excess")
    measures = MEASURES.assign(**dict(zip(names, differing, strict=True)))
    told = part(families(measures, PRESENCE, UNIQUES))
    assert told.heading.startswith(
        "Someone who knows two facts (AGE and SEX) finds a chance of 100% for 10 "
        "(25.00%) of 40 people of the sample: everybody in the population with these "
        "facts is in the sample (unique in both tables: 4). Their presence would "
        "be certain if the population had everybody in the sample, with the same "
        "values, "
        f"{why}"
    )
    captions = [drawing.caption for drawing in told.drawings[1:]]
    assert all("; their presence would be certain if" in text for text in captions)
    said = [told.heading, *told.sentences, *captions]
    assert not any("is certain" in text or "certain to" in text for text in said)


def test_another_combination_can_tell_that_presence_is_not_certain():
    measures = MEASURES.assign(n_not_found=[2, 0, 0])
    told = part(families(measures, PRESENCE, UNIQUES))
    assert told.heading.endswith(
        "which is not so: nobody in the population has the values of 2 of them (by AGE)"
    )
    (differing,) = [text for text in told.sentences if "as coded" in text]
    assert differing.endswith("These are the numbers for AGE.")


@pytest.mark.parametrize(("language", "one"), [("en", "1 person"), ("pt", "1 pessoa")])
def test_a_sample_of_one_person_is_told_in_the_singular(language, one):
    of_one = PRESENCE[:1].assign(n_records=1, bin=100)
    alone = MEASURES[:1].assign(n_sample=1, n_unique_both=1)
    told = part(families(alone, of_one, UNIQUES[:1]), language)
    assert f" {one} " in told.heading
    assert f" {one}, " in told.measured[0]


def test_where_nobodys_presence_is_certain_the_heading_compares_chances():
    nobody = MEASURES.assign(n_unique_both=0)
    unsure = PRESENCE[PRESENCE["bin"] < 100]
    told = part(families(nobody, unsure, UNIQUES))
    assert told.heading == (
        "For someone who knows two facts (AGE and SEX), the chance that a person of "
        "the sample took part is 62.50% on average, instead of 10.00% (40 of 400) "
        "without any facts"
    )
    assert not any("Without any fact, the chance" in text for text in told.sentences)


def test_who_has_values_that_the_population_lacks_is_told_and_only_then(
    example, tmp_path
):
    silent = {
        family: {name: rows[rows["qids"] == "state|sex"] for name, rows in of.items()}
        for family, of in measured_of(tmp_path, [*SAMPLE, SILENT]).items()
    }
    said = (
        "People of the sample with values that occur nowhere in the population: 1 of "
        "5. Combinations of values that are more frequent in the sample than in the "
        "population, theirs included: 1. So the sample, as coded, is not part of the "
        "population."
    )
    assert any(text.startswith(said) for text in part(silent).sentences)
    assert not any("not part of" in text for text in part(example).sentences)


def test_the_four_degradations_stand_beside_what_each_divides(example):
    rows = grid(part(example), "Expected degradation").rows
    assert [(name, value) for name, _, value in rows] == [
        ("As printed", "2.8125"),
        ("By partition", "1.3542"),
        ("By person", "1.7708"),
        ("By Bayes", "1.3333"),
    ]
    assert "n/d" in rows[0][1]
    assert "max(d, n − d)" in rows[3][1]


def test_the_worst_combination_of_each_size_has_a_row(example):
    table = grid(part(example), "Worst combination")
    assert table.caption.endswith(
        "is 40.00%, and presence or absence is guessed right for 60.00%"
    )
    assert [row[0] for row in table.rows] == ["1", "2", "3"]
    assert table.rows[1][1:] == (
        *("state, sex", "70.83%", "+30.83", "1.7708", "1", "80.00%"),
    )


def test_numbers_behind_the_figures_are_folded_tables():
    told = part(MADE)
    persons = grid(told, "people by the chance")
    uniques = grid(told, "people unique in the sample")
    assert persons.is_folded
    assert uniques.is_folded
    assert persons.rows[0] == ("0% to below 1%", "1", "2.50%", "323", "80.75%")
    assert persons.rows[-1] == ("exactly 100%", "10", "25.00%", "10", "2.50%")
    assert uniques.rows[3] == ("3 to 4", "2")


def test_the_worst_combination_is_that_of_the_exact_measures_not_of_rounded_ones():
    rounded = MEASURES.assign(posterior_person=[0.2, 0.2, 0.6])
    rows = grid(part(families(rounded, PRESENCE, UNIQUES)), "Worst combination").rows
    assert [row[1] for row in rows] == ["AGE", "AGE, SEX"]


def test_rows_of_the_same_chance_are_told_by_the_fewest_facts():
    same = pd.DataFrame([measured("AGE", 0.5), measured("AGE|SEX", 0.5)])
    assert "(AGE)" in part(families(same, PRESENCE, UNIQUES)).heading


@pytest.mark.parametrize(
    ("made", "is_marked"),
    [(("survey", "2"), True), (("people", "1"), True), (("survey", "1"), False)],
)
def test_figures_are_marked_if_a_twin_made_either_release(monkeypatch, made, is_marked):
    monkeypatch.setitem(KINDS, "chance", lambda _, words: str(words.is_synthetic))
    monkeypatch.delitem(KINDS, "persons")
    monkeypatch.delitem(KINDS, "uniques")
    ((_, drawn),) = draw_families(MADE, ["en"], [made])
    assert drawn == str(is_marked)


def page_of(found, filters):
    """The page of a study that has no other analysis."""
    tables = Made(ingest=INGEST, families=found)
    study = Told("demo", filters=filters)
    return report_pages(study, tables, AnyFigure(), ["pt", "en"])["index.html"]


@pytest.fixture(scope="module")
def alone(example):
    return page_of(example, {})


def test_a_filter_of_the_study_is_told_where_it_is_told_what_was_measured(
    example, alone
):
    told = (
        "Only the records with certain values of municipality of the school "
        "(CO_MUNICIPIO) count, as the study file says."
    )
    assert told in page_of(example, {"c": ("CO_MUNICIPIO",)})
    assert told not in alone


def test_a_study_of_samples_alone_has_a_page_that_speaks_of_nothing_else(alone):
    text = "".join(Parser(alone).texts)
    assert "infer whether the person is in the sample" in text
    assert "Quem está na amostra" in text
    others = ("re-identification", "reidentificação", "Deterministic success")
    for other in (*others, "that the person is in the table"):
        assert other not in text


def test_the_answer_in_short_links_to_the_finding_and_warns_once(alone):
    parser = Parser(alone)
    assert parser.open == []
    ids = parser.values("id")
    assert len(ids) == len(set(ids))
    assert "en-membership:c" in ids
    assert "#en-membership:c" in parser.values("href")
    english = alone[alone.index('<main lang="en"') :]
    _, _, answer = english.partition('class="answer"')
    answer = answer[: answer.index("</section>")]
    assert answer.count("Conclusions about a sample hold if") == 1
    assert "Someone who knows two facts (state and sex) is certain" in answer


def test_what_is_left_of_it_is_told_where_facts_are_known_only_roughly():
    """The worst combination's chance, roughly and exactly, and how many claims hold."""
    tables = {**MADE, "rough_membership": {"asked": ROUGH}}
    told = part(tables)
    (said,) = [text for text in said_of(told) if "only roughly" in text]
    assert said == (
        "For someone who knows AGE only roughly, the chance of the people of the "
        "sample is 40.00% on average with 2 attributes, and 100% for 20.00% of them; "
        "with everything known exactly, 62.50% and 31.25%."
    )
    assert any("25.00% of the population took part" in t for t in said_of(told))
    rows = grid(told, "known only roughly, and exactly").rows
    assert [cells[2:4] for cells in rows] == [
        ("20.00%", "25.00%"),
        ("40.00%", "62.50%"),
    ]
    assert any("aproximadamente AGE" in text for text in said_of(part(tables, "pt")))
    assert not any("roughly" in text for text in said_of(part(MADE)))


def test_what_else_follows_is_told_with_its_table(said, caption, cells):
    told = part(FURTHER)
    assert said in said_of(told)
    rows = [[*row] for row in grid(told, caption).rows] if caption else []
    assert [row[2:5] for row in rows] == cells


def test_classes_are_recognised_correctly_only_where_the_truth_is_known():
    assert "Classes recognised correctly: 2." in said_of(part(FURTHER))
    unknown = FINGERPRINTS.assign(n_identified_right=pd.array([None], "Int64"))
    tables = {**FURTHER, "fingerprints": {"asked": unknown}}
    assert not any("correctly" in text for text in said_of(part(tables)))


def test_the_first_screen_is_told_who_took_part_what_they_said_and_how_sure_that_is():
    told = part(FURTHER)
    find, learn, sure = told.replies
    assert [each.question for each in told.replies] == ["find", "learn", "sure"]
    assert find.text == (
        f"{told.heading}. Without any fact, the chance of anyone in the population is "
        "10.00% (40 of 400)."
    )
    assert [(bar.label, bar.share, bar.written) for bar in find.picture.bars] == [
        ("Without any fact", 0.1, "10.00%"),
        ("1 attribute", 0.25, "25.00%"),
        ("2 attributes", 0.625, "62.50%"),
    ]
    assert learn.text in said_of(told)
    row, equation, file = find.sources
    table = grid(told, "Worst combination")
    (place,) = [at for at in table.anchors if at]
    assert table.rows[table.anchors.index(place)][1] == "AGE, SEX"
    assert row.href == f"#{place}"
    assert equation.href.endswith("-definitions")
    assert file.href == "data/asked-membership.csv"
    assert learn.sources[-1].href == "data/asked-answers.csv"
    assert "from both tables, not estimated" in sure.text
    assert [each.question for each in part(MADE).replies] == ["find", "sure"]
