"""What stands first in a section: findings, named adversaries, and rarer values."""

from itertools import combinations

import pandas as pd
import pytest

from microleak.attacks.collective.analysis import Scenario
from microleak.attacks.collective.report.chapters import attacked
from microleak.attacks.collective.report.contents import Facts, Scope
from microleak.attacks.collective.report.contributions import worst_row
from microleak.attacks.collective.report.findings import finding, headline_row
from microleak.attacks.collective.report.headline import (
    Subject,
    ToldOfSubject,
    concluded,
    headline_grids,
    replies,
    with_headline,
)
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from tests.collective_rows import bins_of, subset, worst_of
from tests.report.made import AnyFigure, Made

VALUES = tuple(specs()["values"].names)

ENGLISH = voice("en")
PERSON = Scope(ENGLISH, "person")
FLAG = "IN_NECESSIDADE_ESPECIAL"
BIRTH = "NU_DIA|NU_MES|NU_ANO"
SETS = ("TP_SEXO", "NU_MES|TP_SEXO", "NU_MES|TP_SEXO|CO_ENTIDADE")
QIDS = (*BIRTH.split("|"), "CO_ENTIDADE")
CLASSMATE = Scenario(
    "classmate", QIDS, {"pt": "um colega de turma", "en": "a classmate"}
)
OTHER_SUBSETS = {
    "|".join(qids) for size in range(1, 5) for qids in combinations(QIDS, size)
} - {"CO_ENTIDADE", "|".join(QIDS)}


def row_of(qids, n_certain, n_members=40, value="1", **columns):
    """What is inferred of one value among 1,000 pupils."""
    row = dict.fromkeys(VALUES, 0) | {
        **{"analysis": "pupils", "table": "census", "focal": "2018", "auxiliary": ""},
        **{"qids": qids, "n_qids": qids.count("|") + 1, "sensitive": FLAG},
        **{"value": value, "is_missing": "false", "n_records": 1_000},
        **{"n_members": n_members, "n_certain": n_certain},
        "posterior_det": n_certain / n_members,
    }
    return row | columns


def told(
    values,
    adversaries=(),
    language="en",
    sensitive=FLAG,
    n_loo=960,
    gains=1,
    further=(),
):
    """The finding and grids of a flag, with some rows of values and adversaries."""
    members = {v["value"]: v["n_members"] for v in values if v["is_missing"] != "true"}
    flag = {"sensitive": sensitive, "prior_count": 960, "n_loo": n_loo}
    flag |= {"n_rarer": sum(members.values())} if values else {}
    rows = [
        subset("CO_ENTIDADE", 500, 960 + 5 * gains, **flag),
        subset(f"{BIRTH}|CO_ENTIDADE", 900, 960 + 30 * gains, **flag),
        *(subset(qids, 500, 960, **flag) for qids in further),
    ]
    shown = pd.DataFrame(values, columns=VALUES)
    subject = Subject(pd.DataFrame(rows), worst_of(*rows), adversaries, shown)
    speaker = voice(language)
    found = finding(subject.worst, Scope(speaker, "person"), subject.fewer_row())
    return (
        with_headline(found, subject, Scope(speaker, "person")),
        headline_grids(subject, "part", Scope(speaker, "person")),
    )


def test_the_share_that_the_own_record_adds_follows_what_is_learnt(
    language, known, n_loo, has_all, own, numbers
):
    """At most that share where not all subsets were measured."""
    values = [row_of("CO_ENTIDADE", 3), row_of(f"{BIRTH}|CO_ENTIDADE", 32)]
    who = [Scenario("somebody", tuple(known), {})] if known else []
    further = OTHER_SUBSETS if has_all else ()
    found, _ = told(values, who, language, n_loo=n_loo, further=further)
    assert found.own.startswith(own)
    assert found.seen[-1] == f"{found.own}."
    assert found.certain == (found.scenarios or found.worst)[0]
    assert numbers in found.sentences[0]


def test_where_the_best_guess_gains_nothing_the_own_record_is_not_told_of():
    found, _ = told([], sensitive="ILL", gains=0)
    assert found.own == ""
    assert found.certain.startswith("Four facts about a person")


def test_who_has_a_rarer_value_is_told_of_the_value_that_leads(
    language, sensitive, values, said
):
    """A known one, and no missing one; then by who is known and who is likely."""
    sensitive = sensitive or FLAG
    rows = []
    for qids, n_certain, *more in values:
        n_members, value, n_likely = [*more, *(40, "1", 0)[len(more) :]]
        missing = {"is_missing": str(value is None).lower(), "n_likely": n_likely}
        which = {"sensitive": sensitive, **missing}
        rows.append(row_of(qids, n_certain, n_members, value or "", **which))
    found, _ = told(rows, language=language, sensitive=sensitive)
    assert said in found.worst[0]
    assert said[:1] == " " or said == found.worst[0]


def test_a_majority_that_makes_most_certain_records_is_told():
    found, _ = told([row_of("CO_ENTIDADE", 3), row_of(f"{BIRTH}|CO_ENTIDADE", 32)])
    assert found.worst[1] == (
        "Four facts about a person (day, month and year of birth, and school) reveal "
        "the value of “disability or other special need” for 90.00% of the people (900 "
        "of 1,000), the highest share of any combination; in 868 of these 900 cases "
        "(96.44%) that value is the most frequent one"
    )
    few, _ = told([row_of(f"{BIRTH}|CO_ENTIDADE", 800, 900)])
    assert "most frequent" not in few.worst[1]


def test_a_named_adversary_comes_before_the_worst():
    values = [row_of("CO_ENTIDADE", 3), row_of(f"{BIRTH}|CO_ENTIDADE", 32)]
    found, grids = told(values, [CLASSMATE], "pt")
    assert found.scenarios == (
        "Um colega de turma que conhece quatro informações (dia, mês e ano de "
        "nascimento e escola) tem certeza sobre 32 (80,00%) das 40 pessoas com "
        "deficiência ou outra necessidade especial",
    )
    assert found.seen[1].startswith("Quatro informações (dia")
    assert found.details[0].startswith("Quatro informações sobre uma pessoa")
    by_adversary, by_value = grids
    assert by_adversary.anchors == ("part-row",)
    assert by_adversary.rows == (
        (
            *("Um colega de turma", "dia, mês e ano de nascimento e escola"),
            *("900 (90,00%)", "99,00%", "96,00%"),
        ),
    )
    assert by_value.rows[0][1:] == ("40", "32 (80,00%)", "32 (80,00%)")


def test_an_adversary_without_label_or_values_is_told_of_any_value():
    who = Scenario("insider", ("CO_ENTIDADE",), {})
    found, _ = told([], [who])
    assert found.scenarios == (
        "An adversary (“insider”) who knows one fact (school) is certain of the value "
        "of “disability or other special need” for 500 of 1,000 people (50.00%)",
    )
    assert found.worst[0].startswith(
        "Four facts about a person (day, month and year of birth"
    )


def test_an_adversary_of_whom_no_combination_is_shown_is_left_out():
    found, grids = told([], [Scenario("other", ("NU_DIA",), {})])
    assert (found.scenarios, grids) == ((), ())


def test_a_missing_value_never_heads():
    missing = row_of("CO_ENTIDADE", 30, 50, "", is_missing="true")
    both, (grid,) = told([missing, row_of("CO_ENTIDADE", 3)])
    assert " of the 40 people with a disability" in both.worst[0]
    assert [row[0] for row in grid.rows] == [
        "Without a value of “disability or other special need”",
        "With a disability or other special need (1)",
    ]
    alone, _ = told([missing])
    assert alone.worst[0].startswith("Four facts about a person")


def test_each_adversary_is_told_of_the_value_that_their_own_facts_give_away():
    neighbour = Scenario("neighbour", ("CO_ENTIDADE",), {"en": "a neighbour"})
    values = [
        row_of("CO_ENTIDADE", 0, 100, "flu", sensitive="ILL"),
        row_of(f"{BIRTH}|CO_ENTIDADE", 100, 100, "flu", sensitive="ILL"),
        row_of("CO_ENTIDADE", 50, 50, "hiv", sensitive="ILL"),
        row_of(f"{BIRTH}|CO_ENTIDADE", 40, 50, "hiv", sensitive="ILL"),
    ]
    found, _ = told(values, [neighbour, CLASSMATE], sensitive="ILL")
    assert found.scenarios[0] == (
        "A neighbour who knows one fact (school) is certain about 50 (100%) of the 50 "
        "people with the value “hiv” of “ILL”"
    )
    assert " of the 100 people with the value “flu”" in found.scenarios[1]


def test_that_none_is_known_is_said_of_all_rarer_values(language, scenario, worst):
    labels = {"en": "a neighbour", "pt": "um vizinho"}
    who = Scenario("neighbour", ("CO_ENTIDADE",), labels)
    values = [
        row_of("CO_ENTIDADE", 0, n_members, value, sensitive="ILL")
        for n_members, value in [(100, "flu"), (50, "hiv")]
    ]
    found, _ = told(values, [who], language, sensitive="ILL")
    assert (found.scenarios, found.worst[0]) == ((scenario,), worst)


def test_analyses_with_the_same_qids_name_the_same_few_facts():
    years = []
    for sex_alone in (700, 300):
        counts = [(sex_alone, 700), (710, 800), (900, 950)]
        rows = [subset(q, *n, n_rarer=40) for q, n in zip(SETS, counts, strict=True)]
        values = [
            row_of(row["qids"], row["n_certain"] // 25, sensitive="") for row in rows
        ]
        tables = pd.DataFrame(rows), worst_of(*rows), (), pd.DataFrame(values)
        years.append(Subject(*tables, years[0] if years else None))
    said = [("70.00% (700)", "28 (70.00%)"), ("30.00% (300)", "12 (30.00%)")]
    for year, (share, cases) in zip(years, said, strict=True):
        found = finding(year.worst, PERSON, year.fewer_row())
        assert found.certain.endswith(f"; one fact (sex) is enough for {share}")
        told = with_headline(found, year, PERSON).worst[0]
        assert told.endswith(f"; one fact (sex) is enough for {cases}")


def headings(**analyses):
    """What is told of analyses, each with how many records its subsets find."""
    collective, worst, bins = {}, {}, {}
    for name, (counts, table) in analyses.items():
        row = {"analysis": name, "table": table}
        rows = [
            subset(qids, n, n + 1, **row) for qids, n in zip(SETS, counts, strict=True)
        ]
        collective[name], worst[name] = pd.DataFrame(rows), worst_of(*rows)
        bins[name] = bins_of(collective[name])
    measures = Made(collective, worst, bins).measures
    told = attacked(Facts(), measures, AnyFigure(), ENGLISH)
    return [each.sections[0].finding.certain for each in told]


def test_releases_with_the_same_qids_are_told_with_the_same_adversaries():
    first, second = headings(
        **{"2022": ((10, 600, 940), "town"), "2023": ((500, 610, 930), "town")}
    )
    told = "two facts (month of birth and sex) are enough for "
    assert first.endswith(f"{told}60.00% (600)")
    assert second.endswith(f"{told}61.00% (610)")


def test_another_table_is_told_with_its_own_few_facts():
    _, other = headings(
        town=((10, 600, 940), "town"), pupils=((500, 610, 930), "school")
    )
    assert other.endswith("one fact (sex) is enough for 50.00% (500)")


ADDS = "All facts find 90.0 %."
FULL = "BIRTH|SCHOOL"


def first_reply(qids, n_certain, language):
    """The reply about who is found where releases are linked, by some QIDs."""
    linked = {"auxiliary": "2019"}
    of_school = subset("SCHOOL", n_certain, 7, **linked)
    rows = [of_school, subset(FULL, 900, 950, **linked)]
    who = Scenario("neighbour", qids, {"pt": "um vizinho", "en": "a neighbour"})
    subject = Subject(pd.DataFrame(rows), worst_of(*rows), [who])
    told = ToldOfSubject("pupils", "en-pupils-0", subject, pd.DataFrame(), ADDS)
    return replies(told, Scope(voice(language), "person"))[0]


def test_what_an_adversary_with_few_facts_finds_is_not_what_all_facts_add(
    n_certain, language, begins, has
):
    reply = first_reply(("SCHOOL",), n_certain, language)
    assert reply.text.startswith(begins)
    assert has in reply.text
    assert ADDS not in reply.text


@pytest.mark.parametrize("qids", [("BIRTH", "SCHOOL"), ("SCHOOL", "BIRTH")])
def test_of_an_adversary_with_all_facts_it_says_what_linked_releases_add(qids):
    reply = first_reply(qids, 5, "en")
    assert reply.text == f"{ADDS} A guess without these facts is right once in 1,000."


def test_without_any_facts_nobody_is_found_with_certainty():
    bars = first_reply(("SCHOOL",), 5, "en").picture.bars
    told = [("Without any facts", "0%"), ("A neighbour", "0.50%")]
    assert [(bar.label, bar.written) for bar in bars] == told


def test_where_nobody_has_a_rarer_value_it_is_told_of_all():
    row = subset("A", 0, 1_000, sensitive="ILL", prior_count=1_000)
    subject = Subject(pd.DataFrame([row]), worst_of(row))
    told = concluded(subject, *subject.asked[0], PERSON)
    assert told.counts == ("n_certain", "n_records")
    assert told.sentence == (
        "Someone who knows one fact learns the value of “ILL” with certainty for 0% of "
        "the people (0). A guess without these facts is right for 100%."
    )


def test_the_finding_is_about_the_fewest_qids_that_reach_half_of_the_highest():
    rows = [subset("A", 10, 50), subset("A|B", 300, 500)]
    worst = worst_of(*rows, subset("A|B|C", 500, 700))
    certain = worst[worst["criterion"] == "deterministic"]
    assert headline_row(certain)["qids"] == "A|B"


def test_the_highest_certainty_is_told_and_which_fewer_facts_are_enough(
    language, unit, subsets, heading
):
    rows = [subset(*given, **more) for *given, more in subsets]
    told = finding(worst_of(*rows), Scope(voice(language), unit))
    assert told.certain == heading


def test_a_finding_is_told_in_detail():
    worst = worst_of(
        subset("CO_ENTIDADE", 1, 50), subset("CO_ENTIDADE|NU_DIA", 811, 900)
    )
    assert finding(worst, PERSON).sentences == (
        "The adversary is certain about 0% of the people before the attack and about "
        "81.10% after it, a difference of 81.10 percentage points.",
        "Best guess: a person drawn at random is found with probability 0.10% "
        "before the attack and 90.00% after it (ratio 900).",
    )


def test_a_sensitive_attribute_with_one_value_is_known_before_any_attack():
    constant = {"sensitive": "ILL", "prior_count": 1_000, "prior_det": 1.0}
    told = finding(worst_of(subset("A", 1_000, 1_000, **constant)), PERSON)
    assert told.certain == (
        "“ILL” has the same value in every record and is known before any attack"
    )
    assert told.sentences == ()


def test_inference_tells_ratio_and_additive_leakage():
    worst = worst_of(subset("A", 123, 900, sensitive="ILL", prior_count=800))
    assert finding(worst, PERSON).sentences[1] == (
        "Best guess: the value of a person drawn at random is guessed right with "
        "probability 80.00% before the attack and 90.00% after it "
        "(ratio 1.1250, additive leakage of 10.00 percentage points)."
    )


def test_facts_that_do_not_help_a_guess_are_said_not_to():
    worst = worst_of(subset("A", 123, 800, sensitive="ILL", prior_count=800))
    assert "these facts do not help" in finding(worst, PERSON).sentences[1]


def test_where_releases_are_linked_only_all_facts_are_told():
    sizes = [("CO_ENTIDADE", 400), ("CO_ENTIDADE|TP_SEXO", 500)]
    worst = worst_of(*(subset(qids, n, 600, auxiliary="2019") for qids, n in sizes))
    heading = finding(worst, PERSON).certain
    assert heading.startswith("Two facts about")
    assert "enough for" not in heading


def test_a_fact_that_a_linked_release_lacks_is_not_said_to_be_known_in_each(
    known, told
):
    worst = worst_of(subset("CO_ENTIDADE", 400, 500, auxiliary="2019"))
    heading = finding(worst, Scope(ENGLISH, "person", {"2019": known})).certain
    assert heading.startswith(f"One fact about a person ({told}")


def test_what_a_release_lacks_that_is_not_linked_yet_is_known_in_each_that_is():
    scope = Scope(ENGLISH, "person", {"2020": ("SEX",)})
    rows = [subset("AGE|SEX", 4, 5, auxiliary=a) for a in ("2019", "2019|2020")]
    assert [scope.is_partial(pd.Series(row)) for row in rows] == [False, True]


def test_an_inference_stands_beside_the_guess_made_without_it():
    worst = worst_of(subset("CO_ENTIDADE", 20, 50, sensitive="ILL"))
    told = finding(worst, PERSON).beside
    assert told.startswith("Without any fact, the best guess of the value is already")
    assert finding(worst_of(subset("A", 20, 50)), PERSON).beside == ""


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
