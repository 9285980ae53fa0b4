import pandas as pd
import pytest

from papers.twins.school.release import census_of
from papers.twins.school.schools import parameters
from tests.papers.twins.conftest import SCHOOLS, SEED


def people(records):
    return records.drop_duplicates("ID_ALUNO")


def test_pupils_go_on_from_the_first_year_to_the_second(census):
    before, after = people(census(2015)), people(census(2016))
    both = before.merge(after, on="ID_ALUNO")
    first_year = both[both["TP_ETAPA_ENSINO_x"] == "14"]["TP_ETAPA_ENSINO_y"]
    assert (first_year == "15").mean() > 0.75
    assert set(first_year) <= {"", "14", "15"}


def test_every_state_has_a_school_which_is_in_the_state_of_its_code(census):
    state = census(2018)["CO_ENTIDADE"].str[:2]
    assert state.nunique() == 27
    assert (state == census(2018)["CO_MUNICIPIO"].str[:2]).all()


@pytest.mark.parametrize(
    ("rates", "attribute"),
    [("transport", "IN_TRANSPORTE_PUBLICO"), ("needs", "IN_NECESSIDADE_ESPECIAL")],
)
def test_no_visitor_brings_what_nobody_at_a_school_has(census, rates, attribute):
    schools = census_of(2018, SCHOOLS, SEED, parameters()).world.schools
    none = ~getattr(schools, rates).any(axis=1)
    codes = set(schools.code[none].astype(str))
    assert codes
    records = census(2018)
    assert (records[records["CO_ENTIDADE"].isin(codes)][attribute] == "0").all()


def test_second_records_are_mostly_without_a_stage(census):
    records = census(2018)
    n_extra = len(records) - records["ID_ALUNO"].nunique()
    n_without = (records["TP_ETAPA_ENSINO"] == "").sum()
    assert 0.7 < n_without / n_extra < 0.9


def test_the_records_of_a_student_agree_on_the_person(census):
    records = census(2018)
    of_school = ["ID_MATRICULA", "TP_ETAPA_ENSINO", "CO_ENTIDADE", "CO_MUNICIPIO"]
    of_school += ["ID_TURMA", "TP_DEPENDENCIA", "TP_LOCALIZACAO"]
    person = records.drop(columns=of_school).drop_duplicates()
    assert person["ID_ALUNO"].is_unique


def test_adult_education_has_the_codes_of_its_year(census):
    assert {"43", "44", "45"} & set(census(2014)["TP_ETAPA_ENSINO"])
    assert not {"69", "70", "71"} & set(census(2014)["TP_ETAPA_ENSINO"])
    assert {"69", "70", "71"} & set(census(2015)["TP_ETAPA_ENSINO"])


def test_brazilians_are_born_in_brazil_and_others_elsewhere(census):
    records = pd.concat([census(year) for year in (2018, 2019)])
    brazilian = records["TP_NACIONALIDADE"] == "1"
    assert set(records[brazilian]["CO_PAIS_ORIGEM"]) == {"76"}
    assert (records[brazilian]["CO_MUNICIPIO_NASC"] != "").all()
    assert (records[~brazilian]["CO_PAIS_ORIGEM"] != "76").all()
    assert (records[~brazilian]["CO_MUNICIPIO_NASC"] == "").mean() > 0.8


def test_a_class_is_of_one_school_and_stage(census):
    classes = census(2018).groupby("ID_TURMA")
    assert classes["CO_ENTIDADE"].nunique().max() == 1
    assert classes["TP_ETAPA_ENSINO"].nunique().max() == 1


def test_the_day_of_birth_is_not_released_since_2019(census):
    has_day = ["NU_DIA" in census(year) for year in (2018, 2019, 2020)]
    assert has_day == [True, False, False]
