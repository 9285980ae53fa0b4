import re

import pandas as pd
import pytest

from microleak.sources.definitions.definition import source_definition

SOURCE = "inep_higher_education_census"
YEARS = range(2013, 2020)
OF_THE_PERSON = [
    "NU_DIA_NASCIMENTO",
    "NU_MES_NASCIMENTO",
    "NU_ANO_NASCIMENTO",
    "TP_SEXO",
    "TP_NACIONALIDADE",
    "CO_PAIS_ORIGEM",
]


def recoded(records, attribute, year):
    codes = source_definition(SOURCE, str(year), {}).recodes.get(attribute, {})
    return records[attribute].replace(codes)


@pytest.mark.parametrize("year", YEARS)
def test_every_value_is_in_its_domain(higher_census, year):
    definition = source_definition(SOURCE, str(year), {})
    for attribute in definition.names:
        pattern = re.compile(definition.domains[attribute].pattern)
        values = set(recoded(higher_census(year), attribute, year)) - {""}
        assert all(pattern.fullmatch(value) for value in values), attribute


@pytest.mark.parametrize("year", YEARS)
def test_only_these_may_be_missing(higher_census, year):
    missing = higher_census(year).eq("").any()
    assert set(missing[missing].index) == {
        "CO_UF_NASCIMENTO",
        "CO_MUNICIPIO_NASCIMENTO",
        "IN_FINANCIAMENTO_ESTUDANTIL",
        "TP_TURNO",
    }


@pytest.mark.parametrize("year", YEARS)
def test_each_record_has_its_own_identifier(higher_census, year):
    assert higher_census(year)["CO_ALUNO_CURSO"].is_unique


@pytest.mark.parametrize(
    ("attribute", "old", "new"),
    [
        ("TP_SEXO", {"0", "1"}, {"1", "2"}),
        ("TP_COR_RACA", set("0123456"), set("0123459")),
        ("TP_ESCOLA_CONCLUSAO_ENS_MEDIO", {"0", "1", "2"}, {"1", "2", "9"}),
        ("IN_DEFICIENCIA", {"0", "1", "2"}, {"0", "1", "9"}),
    ],
)
def test_codes_are_the_old_ones_until_2016(higher_census, attribute, old, new):
    assert set(higher_census(2016)[attribute]) == old
    assert set(higher_census(2017)[attribute]) == new


def test_who_is_in_2016_and_2017_has_the_same_sex_in_other_codes(higher_census):
    before, after = (
        higher_census(year).drop_duplicates("ID_ALUNO").set_index("ID_ALUNO")["TP_SEXO"]
        for year in (2016, 2017)
    )
    both = before.index.intersection(after.index)
    pairs = set(zip(before[both], after[both], strict=True))
    assert pairs == {("0", "2"), ("1", "1")}


@pytest.mark.parametrize("year", [2014, 2018])
def test_financing_is_missing_for_public_institutions_alone(higher_census, year):
    records = higher_census(year)
    is_public = records["TP_CATEGORIA_ADMINISTRATIVA"].isin(["1", "2", "3"])
    assert (records["IN_FINANCIAMENTO_ESTUDANTIL"].eq("") == is_public).all()


def test_students_of_2014_are_still_there_in_2017(higher_census):
    first = set(higher_census(2014)["ID_ALUNO"])
    shares = [
        len(first & set(higher_census(year)["ID_ALUNO"])) / len(first)
        for year in (2015, 2016, 2017)
    ]
    assert 0.6 < shares[0] < 0.85
    assert shares[0] > shares[1] > shares[2] > 0.15


def test_who_has_left_or_graduated_is_not_there_in_the_next_year(higher_census):
    before, after = higher_census(2014), higher_census(2015)
    ended = before["TP_SITUACAO"].isin(["4", "5", "6"])
    gone = set(before["ID_ALUNO"]) - set(before.loc[~ended, "ID_ALUNO"])
    assert len(gone) > 100
    assert not gone & set(after["ID_ALUNO"])


def test_what_stays_with_a_person_stays_over_the_years(higher_census):
    first, last = (
        higher_census(year).drop_duplicates("ID_ALUNO").set_index("ID_ALUNO")
        for year in (2013, 2016)
    )
    both = first.index.intersection(last.index)
    pd.testing.assert_frame_equal(
        first.loc[both, OF_THE_PERSON], last.loc[both, OF_THE_PERSON]
    )


def test_some_students_change_course_and_some_institution(higher_census):
    own = [
        records[records["TP_SITUACAO"].isin(["2", "3"])]
        for records in (higher_census(2014), higher_census(2015))
    ]
    both = own[0].merge(own[1], on="ID_ALUNO")
    course, institution = (
        (both[f"{name}_x"] != both[f"{name}_y"]).mean()
        for name in ("CO_CURSO", "CO_IES")
    )
    assert 0.05 < course < 0.25
    assert 0.0 < institution < course


@pytest.mark.parametrize(("year", "later"), [(2017, 2018), (2018, 2019)])
def test_nobody_can_be_linked_by_identifier_since_2018(higher_census, year, later):
    assert not set(higher_census(year)["ID_ALUNO"]) & set(
        higher_census(later)["ID_ALUNO"]
    )


@pytest.mark.parametrize(
    ("year", "size"), [(2014, 294.40), (2018, 283.57), (2019, 272.11)]
)
def test_courses_have_the_mean_size_of_the_year(higher_census, year, size):
    n_students = higher_census(year)["ID_ALUNO"].nunique()
    assert n_students / 120 == pytest.approx(size, rel=0.01)


def test_course_sizes_are_skewed(higher_census):
    sizes = higher_census(2018).groupby("CO_CURSO").size()
    assert sizes.median() < 0.5 * sizes.mean()
    assert sizes.max() > 10 * sizes.mean()


@pytest.mark.parametrize(
    "attribute",
    [
        "CO_IES",
        "TP_CATEGORIA_ADMINISTRATIVA",
        "TP_ORGANIZACAO_ACADEMICA",
        "TP_TURNO",
        "TP_GRAU_ACADEMICO",
        "TP_MODALIDADE_ENSINO",
    ],
)
def test_a_course_has_one(higher_census, attribute):
    assert higher_census(2018).groupby("CO_CURSO")[attribute].nunique().max() == 1


def test_linked_years_have_the_same_courses(higher_census):
    place = ["CO_CURSO", "CO_IES", "TP_CATEGORIA_ADMINISTRATIVA", "TP_TURNO"]
    courses = [
        set(higher_census(year)[place].itertuples(index=False, name=None))
        for year in (2013, 2015, 2017)
    ]
    assert courses[0] == courses[1] == courses[2]


@pytest.mark.parametrize(
    ("year", "ratio"), [(2014, 1.1044), (2018, 1.1140), (2019, 1.1189)]
)
def test_some_students_hold_a_second_record(higher_census, year, ratio):
    records = higher_census(year)
    assert len(records) / records["ID_ALUNO"].nunique() == pytest.approx(
        ratio, abs=0.01
    )
    assert records.groupby("ID_ALUNO").size().max() == 2


def test_second_records_are_of_another_course_that_was_left(higher_census):
    records = higher_census(2018)
    second = records["ID_ALUNO"].duplicated(keep=False)
    assert not records[second].duplicated(["ID_ALUNO", "CO_CURSO"]).any()
    has_left = records["TP_SITUACAO"].isin(["4", "5"])
    assert has_left[second].groupby(records["ID_ALUNO"]).any().all()


def test_who_transfers_does_so_within_the_institution(higher_census):
    records = higher_census(2018)
    moved = records[records["TP_SITUACAO"] == "5"]
    both = moved.merge(records, on="ID_ALUNO")
    other = both[both["CO_CURSO_x"] != both["CO_CURSO_y"]]
    assert len(other) == len(moved)
    assert (other["CO_IES_x"] == other["CO_IES_y"]).all()


@pytest.mark.parametrize("year", YEARS)
def test_birthdays_are_days_of_the_calendar_in_the_age_of_study(higher_census, year):
    records = higher_census(year)
    birth = records[["NU_ANO_NASCIMENTO", "NU_MES_NASCIMENTO", "NU_DIA_NASCIMENTO"]]
    birth.columns = ["year", "month", "day"]
    pd.to_datetime(birth.astype(int), errors="raise")
    age = year - birth["year"].astype(int)
    assert (age == records["NU_IDADE"].astype(int)).all()
    assert age.between(16, 75).all()


def test_nobody_entered_a_course_after_the_census(higher_census):
    entered = higher_census(2017)["NU_ANO_INGRESSO"].astype(int)
    assert entered.between(2004, 2017).all()


def test_students_at_a_distance_are_older(higher_census):
    records = higher_census(2018)
    age = records["NU_IDADE"].astype(int)
    is_distance = records["TP_MODALIDADE_ENSINO"] == "2"
    assert age[is_distance].median() > age[~is_distance].median() + 3


def test_whoever_does_not_say_the_birthplace_says_no_state(higher_census):
    records = higher_census(2018)
    state, place = records["CO_UF_NASCIMENTO"], records["CO_MUNICIPIO_NASCIMENTO"]
    assert (state == place.str[:2]).all()


def test_unavailable_disabilities_are_those_of_few_institutions(higher_census):
    silent = higher_census(2018)["IN_DEFICIENCIA"].eq("9")
    rate = silent.groupby(higher_census(2018)["CO_CURSO"]).mean()
    assert silent.mean() == pytest.approx(0.0546, abs=0.02)
    assert (rate < 0.02).mean() > 0.7


def test_a_few_students_are_in_a_course_twice_under_two_identifiers(higher_census):
    records = higher_census(2018)
    own = records[records["TP_SITUACAO"].isin(["2", "3"])]
    same = own.duplicated(
        [*OF_THE_PERSON, "CO_MUNICIPIO_NASCIMENTO", "CO_CURSO"], keep=False
    )
    assert 0.01 < same.mean() < 0.1


def test_some_who_left_come_back_after_a_year(higher_census):
    first, second, third = (
        set(higher_census(year)["ID_ALUNO"]) for year in (2013, 2014, 2015)
    )
    back = (first & third) - second
    assert 0.005 < len(back) / len(first) < 0.05
