import pytest

from tests.papers.twins.test_persons import HIGHER


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


def test_who_has_left_or_graduated_is_not_there_in_the_next_year(higher_census):
    before, after = higher_census(2014), higher_census(2015)
    ended = before["TP_SITUACAO"].isin(["4", "5", "6"])
    gone = set(before["ID_ALUNO"]) - set(before.loc[~ended, "ID_ALUNO"])
    assert len(gone) > 100
    assert not gone & set(after["ID_ALUNO"])


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


def test_nobody_entered_a_course_after_the_census(higher_census):
    entered = higher_census(2017)["NU_ANO_INGRESSO"].astype(int)
    assert entered.between(2004, 2017).all()


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
        [*HIGHER.lasting, "CO_MUNICIPIO_NASCIMENTO", "CO_CURSO"], keep=False
    )
    assert 0.01 < same.mean() < 0.1
