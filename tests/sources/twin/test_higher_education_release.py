import zipfile

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.steps.synthesise import synthesise
from microleak.sources.twin import write_higher_education_census
from tests.watched import steps_watched

SOURCE = "inep_higher_education_census"
YEARS = range(2013, 2020)


def rows_of(path):
    with zipfile.ZipFile(path) as opened:
        return opened.read(opened.namelist()[1]).count(b"\n") - 1


def test_the_same_arguments_give_the_same_bytes(tmp_path):
    write_higher_education_census(tmp_path / "a.zip", 2016, 30, seed=7)
    write_higher_education_census(tmp_path / "elsewhere" / "b.zip", 2016, 30, seed=7)
    assert sha256_of(tmp_path / "a.zip") == sha256_of(tmp_path / "elsewhere" / "b.zip")


def test_another_seed_gives_other_bytes(tmp_path):
    write_higher_education_census(tmp_path / "a.zip", 2018, 30, seed=7)
    write_higher_education_census(tmp_path / "b.zip", 2018, 30, seed=8)
    assert sha256_of(tmp_path / "a.zip") != sha256_of(tmp_path / "b.zip")


def test_a_study_writes_it_by_the_name_of_its_source(tmp_path):
    synthesise(tmp_path / "a.zip", SOURCE, "2018", 30, 7)
    write_higher_education_census(tmp_path / "b.zip", 2018, 30, seed=7)
    assert sha256_of(tmp_path / "a.zip") == sha256_of(tmp_path / "b.zip")


def test_progress_comes_to_the_number_of_courses(tmp_path):
    with steps_watched() as steps:
        write_higher_education_census(tmp_path / "a.zip", 2018, 1100, seed=7)
    ((step, total, advances),) = steps
    assert (step, total, advances) == ("writing", 1100, [1000, 100])


def test_nothing_is_left_beside_the_archive(tmp_path):
    write_higher_education_census(tmp_path / "a.zip", 2018, 5, seed=7)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


@pytest.mark.parametrize("year", [2013, 2017, 2019])
def test_the_number_returned_is_the_number_of_rows(tmp_path, year):
    rows = write_higher_education_census(tmp_path / "a.zip", year, 30, seed=7)
    assert rows == rows_of(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("year", "member"),
    [
        (2014, "2014/DADOS/DM_ALUNO.CSV"),
        (2017, "2017/DADOS/DM_ALUNO/DM_ALUNO.CSV"),
        (2018, "microdados_ed_superior_2018/dados/DM_ALUNO.CSV"),
        (2019, "Microdados_Educação_Superior_2019/dados/SUP_ALUNO_2019.CSV"),
    ],
)
def test_the_students_are_where_that_year_had_them(higher_archive, year, member):
    with zipfile.ZipFile(higher_archive(year)) as opened:
        assert opened.namelist() == ["LEIA-ME-SINTETICO.txt", member]


@pytest.mark.parametrize("year", YEARS)
def test_the_member_opens_with_that_years_names_in_order(higher_archive, year):
    names = source_definition(SOURCE, str(year), {}).names
    with zipfile.ZipFile(higher_archive(year)) as opened:
        header = opened.read(opened.namelist()[1]).split(b"\n")[0].decode("latin-1")
    assert header.split("|") == list(names.values())


def test_the_archive_says_that_it_is_synthetic(higher_archive):
    with zipfile.ZipFile(higher_archive(2018)) as opened:
        assert b"SYNTHETIC" in opened.comment
        assert b"SYNTHETIC" in opened.read("LEIA-ME-SINTETICO.txt")


def test_members_carry_no_clock(higher_archive):
    with zipfile.ZipFile(higher_archive(2018)) as opened:
        dates = {info.date_time for info in opened.infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(YEARS), st.integers(1, 40), st.integers(0, 1000))
def test_any_size_and_seed_is_ingested_without_refusal(
    tmp_path_factory, year, courses, seed
):
    folder = tmp_path_factory.mktemp("any")
    rows = write_higher_education_census(folder / "a.zip", year, courses, seed)
    definition = source_definition(SOURCE, str(year), {})
    release = ReadRelease(folder / "a.zip", tuple(definition.names), is_synthetic=True)
    ingest(release, definition, folder / "a.parquet", folder / "a.json")
    assert pq.read_metadata(folder / "a.parquet").num_rows == rows


@pytest.mark.parametrize(
    ("year", "courses", "seed", "words"),
    [
        (2012, 30, 1, "releases.*Higher Education Census of 2012.*2013 to 2019"),
        (2020, 30, 1, "releases.*2020"),
        (2018, 0, 1, "synthetic.courses is 0"),
        (2018, 900_001, 1, "synthetic.courses is 900001; it must be from 1 to 900000"),
        (2018, 30, -1, "seed is -1"),
    ],
)
def test_what_cannot_be_written_is_refused_by_setting(
    tmp_path, year, courses, seed, words
):
    with pytest.raises(StudyError, match=words):
        write_higher_education_census(tmp_path / "a.zip", year, courses, seed)
    assert list(tmp_path.iterdir()) == []
