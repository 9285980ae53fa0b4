import zipfile

import pytest

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.twin import write_school_census
from tests.watched import steps_watched

YEARS = range(2014, 2021)
REGIONS = ["CO", "NORDESTE", "NORTE", "SUDESTE", "SUL"]


def rows_of(path):
    with zipfile.ZipFile(path) as opened:
        names = [name for name in opened.namelist() if name.upper().endswith(".CSV")]
        return sum(opened.read(name).count(b"\n") - 1 for name in names)


def test_the_same_arguments_give_the_same_bytes(tmp_path):
    write_school_census(tmp_path / "a.zip", 2016, 30, seed=7)
    write_school_census(tmp_path / "elsewhere" / "b.zip", 2016, 30, seed=7)
    assert sha256_of(tmp_path / "a.zip") == sha256_of(tmp_path / "elsewhere" / "b.zip")


def test_progress_comes_to_the_number_of_schools(tmp_path):
    with steps_watched() as steps:
        write_school_census(tmp_path / "a.zip", 2018, 230, seed=7)
    ((step, total, advances),) = steps
    assert (step, total, sum(advances)) == ("writing", 230, 230)
    assert len(advances) >= 5


def test_another_seed_gives_other_bytes(tmp_path):
    write_school_census(tmp_path / "a.zip", 2018, 30, seed=7)
    write_school_census(tmp_path / "b.zip", 2018, 30, seed=8)
    assert sha256_of(tmp_path / "a.zip") != sha256_of(tmp_path / "b.zip")


def test_nothing_is_left_beside_the_archive(tmp_path):
    write_school_census(tmp_path / "a.zip", 2018, 5, seed=7)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


@pytest.mark.parametrize("year", [2014, 2017, 2020])
def test_the_number_returned_is_the_number_of_rows(tmp_path, year):
    rows = write_school_census(tmp_path / "a.zip", year, 30, seed=7)
    assert rows == rows_of(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("year", "folder"),
    [
        (2014, "2014/DADOS"),
        (2015, "2015/DADOS"),
        (2016, "micro_censo_escolar_2016/DADOS"),
        (2017, "Microdados_Censo_Escolar_2017/DADOS"),
        (2018, "microdados_ed_basica_2018/DADOS"),
        (2019, "microdados_educacao_basica_2019/DADOS"),
    ],
)
def test_the_five_regions_are_where_that_year_had_them(archive, year, folder):
    with zipfile.ZipFile(archive(year)) as opened:
        expected = [f"{folder}/MATRICULA_{region}.CSV" for region in REGIONS]
        assert opened.namelist() == ["LEIA-ME-SINTETICO.txt", *expected]


def test_the_regions_of_2020_have_lower_case_names(archive):
    with zipfile.ZipFile(archive(2020)) as opened:
        names = [name.split("/")[-1] for name in opened.namelist()[1:]]
    assert names == [f"matricula_{region.lower()}.CSV" for region in REGIONS]


@pytest.mark.parametrize("year", YEARS)
def test_every_member_opens_with_that_years_names_in_order(archive, year):
    names = source_definition("inep_school_census", str(year), {}).names
    with zipfile.ZipFile(archive(year)) as opened:
        for member in opened.namelist()[1:]:
            header = opened.read(member).split(b"\n")[0].decode("latin-1")
            assert header.split("|") == list(names.values())


def test_the_day_of_birth_is_not_released_since_2019(census):
    assert "NU_DIA" in census(2018)
    assert "NU_DIA" not in census(2019)
    assert "NU_DIA" not in census(2020)


def test_lines_have_no_quotes_and_no_carriage_returns(archive):
    with zipfile.ZipFile(archive(2018)) as opened:
        text = opened.read(opened.namelist()[1])
    assert b'"' not in text
    assert b"\r" not in text


def test_the_archive_says_that_it_is_synthetic(archive):
    with zipfile.ZipFile(archive(2018)) as opened:
        assert b"SYNTHETIC" in opened.comment
        assert b"SYNTHETIC" in opened.read("LEIA-ME-SINTETICO.txt")


def test_members_carry_no_clock(archive):
    with zipfile.ZipFile(archive(2018)) as opened:
        dates = {info.date_time for info in opened.infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


def test_one_school_is_enough(tmp_path):
    assert write_school_census(tmp_path / "a.zip", 2018, 1, seed=7) >= 262


@pytest.mark.parametrize(
    ("year", "schools", "seed", "words"),
    [
        (2021, 30, 1, "releases.*2021.*2014 to 2020"),
        (2013, 30, 1, "releases.*2013"),
        (2018, 0, 1, "synthetic.schools is 0"),
        (2018, 244_141, 1, "synthetic.schools is 244141; it must be from 1 to 244140"),
        (2018, 30, -1, "seed is -1"),
    ],
)
def test_what_cannot_be_written_is_refused_by_setting(
    tmp_path, year, schools, seed, words
):
    with pytest.raises(StudyError, match=words):
        write_school_census(tmp_path / "a.zip", year, schools, seed)
    assert list(tmp_path.iterdir()) == []
