"""What stands first in a section: named adversaries, and who has a rarer value."""

from itertools import combinations

import pandas as pd
import pytest

from microleak.attacks.collective.report.chapters import attacked
from microleak.attacks.collective.report.contents import Adversary, Facts, Scope
from microleak.attacks.collective.report.drawing import figure_path
from microleak.attacks.collective.report.findings import finding
from microleak.attacks.collective.report.headline import (
    Subject,
    ToldOfSubject,
    headline_grids,
    replies,
    with_headline,
)
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from tests.report.made import Made

VALUES = tuple(specs()["values"].names)

ENGLISH, PORTUGUESE = (voice(language) for language in ("en", "pt"))
PERSON = Scope("person")
FLAG = "IN_NECESSIDADE_ESPECIAL"
BIRTH = "NU_DIA|NU_MES|NU_ANO"
CLASSMATE = Adversary(
    "classmate",
    (*BIRTH.split("|"), "CO_ENTIDADE"),
    {"pt": "um colega de turma", "en": "a classmate"},
)

QIDS = (*BIRTH.split("|"), "CO_ENTIDADE")
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


@pytest.fixture
def told(make_subset, make_worst):
    """The finding and grids of a flag, with some rows of values and adversaries."""

    def tell(
        values,
        adversaries=(),
        language=ENGLISH,
        sensitive=FLAG,
        n_loo=960,
        gains=1,
        further=(),
    ):
        flag = {"sensitive": sensitive, "prior_count": 960, "n_loo": n_loo}
        rows = [
            make_subset("CO_ENTIDADE", 500, 960 + 5 * gains, **flag),
            make_subset(f"{BIRTH}|CO_ENTIDADE", 900, 960 + 30 * gains, **flag),
            *(make_subset(qids, 500, 960, **flag) for qids in further),
        ]
        worst = make_worst(*rows)
        subject = Subject(
            pd.DataFrame(rows), worst, adversaries, pd.DataFrame(values, columns=VALUES)
        )
        found = finding(worst, language, PERSON, subject.fewer_row())
        return (
            with_headline(found, subject, language, PERSON),
            headline_grids(subject, "part", language, PERSON),
        )

    return tell


def test_the_share_that_the_own_record_adds_follows_what_is_learnt(
    told, language, known, n_loo, has_all, own, numbers
):
    """At most that share where not all subsets were measured."""
    values = [row_of("CO_ENTIDADE", 3), row_of(f"{BIRTH}|CO_ENTIDADE", 32)]
    who = [Adversary("somebody", tuple(known), {})] if known else []
    further = OTHER_SUBSETS if has_all else ()
    given = {"language": voice(language), "n_loo": n_loo, "further": further}
    found, _ = told(values, who, **given)
    assert found.own.startswith(own)
    assert found.beyond[-1] == f"{found.own}."
    assert found.heading == (found.scenarios or found.worst)[0]
    assert numbers in found.sentences[0]


def test_where_the_best_guess_gains_nothing_the_own_record_is_not_told_of(told):
    found, _ = told([], sensitive="ILL", gains=0)
    assert found.own == ""
    assert found.heading.startswith("Four facts about a person")


def test_who_has_a_rarer_value_is_told_of_the_value_that_leads(
    told, language, sensitive, values, said
):
    """Known, with words and no missing one; then by who is known and who is likely."""
    sensitive = sensitive or FLAG
    rows = []
    for qids, n_certain, *more in values:
        n_members, value, n_likely = [*more, *(40, "1", 0)[len(more) :]]
        missing = {"is_missing": str(value is None).lower(), "n_likely": n_likely}
        which = {"sensitive": sensitive, **missing}
        rows.append(row_of(qids, n_certain, n_members, value or "", **which))
    found, _ = told(rows, language=voice(language), sensitive=sensitive)
    assert said in found.worst[0]
    assert said[:1] == " " or said == found.worst[0]


def test_a_majority_that_makes_most_certain_records_is_told(told):
    found, _ = told([row_of("CO_ENTIDADE", 3), row_of(f"{BIRTH}|CO_ENTIDADE", 32)])
    assert found.worst[1] == (
        "Four facts about a person (day, month and year of birth, and school) reveal "
        "the value of “disability or other special need” for 90.00% of the people (900 "
        "of 1,000), the highest share of any combination; in 868 of these 900 cases "
        "(96.44%) that value is the most frequent one"
    )
    few, _ = told([row_of(f"{BIRTH}|CO_ENTIDADE", 800, 900)])
    assert "most frequent" not in few.worst[1]


def test_a_named_adversary_comes_before_the_worst(told):
    values = [row_of("CO_ENTIDADE", 3), row_of(f"{BIRTH}|CO_ENTIDADE", 32)]
    found, grids = told(values, [CLASSMATE], PORTUGUESE)
    assert found.scenarios == (
        "Um colega de turma que conhece quatro informações (dia, mês e ano de "
        "nascimento e escola) tem certeza sobre 32 (80,00%) das 40 pessoas com "
        "deficiência ou outra necessidade especial",
    )
    assert found.beyond[0].startswith("Quatro informações (dia")
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


def test_an_adversary_without_label_or_values_is_told_of_any_value(told):
    who = Adversary("insider", ("CO_ENTIDADE",), {})
    found, _ = told([], [who])
    assert found.scenarios == (
        "An adversary (“insider”) who knows one fact (school) is certain of the value "
        "of “disability or other special need” for 500 of 1,000 people (50.00%)",
    )
    assert found.worst[0].startswith(
        "Four facts about a person (day, month and year of birth"
    )


def test_an_adversary_of_whom_no_combination_is_shown_is_left_out(told):
    found, grids = told([], [Adversary("other", ("NU_DIA",), {})])
    assert (found.scenarios, grids) == ((), ())


def test_a_missing_value_heads_only_where_there_is_no_other(told):
    missing = row_of("CO_ENTIDADE", 30, 50, "", is_missing="true")
    both, (grid,) = told([missing, row_of("CO_ENTIDADE", 3)])
    assert " of the 40 people with a disability" in both.worst[0]
    assert [row[0] for row in grid.rows] == [
        "Without a value of “disability or other special need”",
        "With a disability or other special need (1)",
    ]
    alone, _ = told([missing])
    assert " of the 50 people without a value of “disab" in alone.worst[0]


def test_each_adversary_is_told_of_the_value_that_their_own_facts_give_away(told):
    neighbour = Adversary("neighbour", ("CO_ENTIDADE",), {"en": "a neighbour"})
    values = [
        row_of("CO_ENTIDADE", 0, 100, "flu", sensitive="ILL"),
        row_of(f"{BIRTH}|CO_ENTIDADE", 100, 100, "flu", sensitive="ILL"),
        row_of("CO_ENTIDADE", 50, 50, "hiv", sensitive="ILL"),
        row_of(f"{BIRTH}|CO_ENTIDADE", 50, 50, "hiv", sensitive="ILL"),
    ]
    found, _ = told(values, [neighbour, CLASSMATE], sensitive="ILL")
    assert found.scenarios[0] == (
        "A neighbour who knows one fact (school) is certain about 50 (100%) of the 50 "
        "people with the value “hiv” of “ILL”"
    )
    assert " of the 100 people with the value “flu”" in found.scenarios[1]


def test_that_none_is_known_is_said_of_all_rarer_values(
    told, language, scenario, worst
):
    labels = {"en": "a neighbour", "pt": "um vizinho"}
    who = Adversary("neighbour", ("CO_ENTIDADE",), labels)
    values = [
        row_of("CO_ENTIDADE", 0, n_members, value, sensitive="ILL")
        for n_members, value in [(100, "flu"), (50, "hiv")]
    ]
    found, _ = told(values, [who], voice(language), sensitive="ILL")
    assert (found.scenarios, found.worst[0]) == ((scenario,), worst)


def test_analyses_with_the_same_qids_name_the_same_few_facts(make_subset, make_worst):
    years = []
    for sex_alone in (700, 300):
        rows = [
            make_subset("TP_SEXO", sex_alone, 700),
            make_subset("NU_MES|TP_SEXO", 710, 800),
            make_subset("NU_MES|TP_SEXO|CO_ENTIDADE", 900, 950),
        ]
        values = [
            row_of(row["qids"], row["n_certain"] // 25, sensitive="") for row in rows
        ]
        first = years[0] if years else None
        years.append(
            Subject(
                pd.DataFrame(rows), make_worst(*rows), (), pd.DataFrame(values), first
            )
        )
    for year, (share, cases) in zip(
        years,
        [("70.00% (700)", "28 (70.00%)"), ("30.00% (300)", "12 (30.00%)")],
        strict=True,
    ):
        found = finding(year.worst, ENGLISH, PERSON, year.fewer_row())
        assert found.heading.endswith(f"; one fact (sex) is enough for {share}")
        told = with_headline(found, year, ENGLISH, PERSON).worst[0]
        assert told.endswith(f"; one fact (sex) is enough for {cases}")


SETS = ("TP_SEXO", "NU_MES|TP_SEXO", "NU_MES|TP_SEXO|CO_ENTIDADE")


@pytest.fixture
def headings(make_subset, make_worst):
    """What is told of analyses, each with how many records its subsets single out."""

    def tell(**analyses):
        collective, worst, bins = {}, {}, {}
        for name, (counts, table) in analyses.items():
            row = {"analysis": name, "table": table}
            rows = [
                make_subset(qids, n, n + 1, **row)
                for qids, n in zip(SETS, counts, strict=True)
            ]
            collective[name], worst[name] = pd.DataFrame(rows), make_worst(*rows)
            bins[name] = pd.DataFrame(
                [each | {"bin": 100, "n_records": 1_000} for each in rows]
            )
        figures = {
            figure_path(name, kind, "", "en"): "<svg></svg>"
            for name in analyses
            for kind in ("success", "distribution")
        }
        tables = Made(collective, worst, bins, pd.DataFrame())
        english = voice("en")
        told = attacked(Facts(), tables.measures, figures, english)
        return [each.sections[0].finding.heading for each in told]

    return tell


def test_releases_with_the_same_qids_are_told_with_the_same_adversaries(headings):
    first, second = headings(
        **{"2022": ((10, 600, 940), "town"), "2023": ((500, 610, 930), "town")}
    )
    assert first.endswith(
        "two facts (month of birth and sex) are enough for 60.00% (600)"
    )
    assert second.endswith(
        "two facts (month of birth and sex) are enough for 61.00% (610)"
    )


def test_another_table_is_told_with_its_own_few_facts(headings):
    _, other = headings(
        town=((10, 600, 940), "town"), pupils=((500, 610, 930), "school")
    )
    assert other.endswith("one fact (sex) is enough for 50.00% (500)")


ADDS = "All facts find 90.0 %."
FULL = "BIRTH|SCHOOL"


@pytest.fixture
def first_reply(make_subset, make_worst):
    """The reply about who is found where releases are linked, by some QIDs."""

    def reply(qids, n_certain, language):
        linked = {"auxiliary": "2019"}
        of_school = make_subset("SCHOOL", n_certain, 7, **linked)
        rows = [of_school, make_subset(FULL, 900, 950, **linked)]
        who = Adversary("neighbour", qids, {"pt": "um vizinho", "en": "a neighbour"})
        subject = Subject(pd.DataFrame(rows), make_worst(*rows), [who])
        told = ToldOfSubject("pupils", "en-pupils-0", subject, pd.DataFrame(), ADDS)
        return replies(told, voice(language), Scope("person"))[0]

    return reply


def test_what_an_adversary_with_few_facts_finds_is_not_what_all_facts_add(
    first_reply, n_certain, language, begins, has
):
    reply = first_reply(("SCHOOL",), n_certain, language)
    assert reply.text.startswith(begins)
    assert has in reply.text
    assert ADDS not in reply.text


@pytest.mark.parametrize("qids", [("BIRTH", "SCHOOL"), ("SCHOOL", "BIRTH")])
def test_of_an_adversary_with_all_facts_it_says_what_linked_releases_add(
    first_reply, qids
):
    reply = first_reply(qids, 5, "en")
    assert reply.text == f"{ADDS} A guess without these facts is right once in 1,000."


def test_without_any_facts_nobody_is_found_with_certainty(first_reply):
    bars = first_reply(("SCHOOL",), 5, "en").picture.bars
    told = [("Without any facts", "0%"), ("A neighbour", "0.50%")]
    assert [(bar.label, bar.written) for bar in bars] == told
