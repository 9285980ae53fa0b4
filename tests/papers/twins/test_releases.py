"""What is so of every twin's archive: bytes, names, marks, progress, refusals."""

import zipfile
from dataclasses import dataclass

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.twin import twin_of
from papers.twins import (
    write_higher_education_census,
    write_outpatient,
    write_pense,
    write_school_census,
)
from tests.examples import examples, long
from tests.watched import steps_watched

NOTE = "LEIA-ME-SINTETICO.txt"


@dataclass(frozen=True)
class Kind:
    """A twin that writes a zip of delimited text by the year."""

    source: str
    write: object
    years: range
    unit: str
    most: int
    census: str  # What a refusal calls it
    size: int = 30


SCHOOL = Kind(
    *("inep_school_census", write_school_census, range(2014, 2021)),
    *("schools", 244_140, "School Census"),
)
HIGHER = Kind(
    *("inep_higher_education_census", write_higher_education_census),
    *(range(2013, 2020), "courses", 900_000, "Higher Education Census"),
)
PENSE = Kind(
    *("ibge_pense", write_pense, range(2015, 2016)),
    *("schools", 244_140, "survey of students' health"),
)
KINDS = [pytest.param(kind, id=kind.source) for kind in (SCHOOL, HIGHER, PENSE)]
each = pytest.mark.parametrize("kind", KINDS)


def rows_of(path):
    with zipfile.ZipFile(path) as opened:
        names = [name for name in opened.namelist() if name != NOTE]
        return sum(opened.read(name).count(b"\n") - 1 for name in names)


@each
def test_seed_and_year_alone_decide_the_bytes_and_nothing_is_left_beside(
    kind, tmp_path
):
    """Also where a study writes it by the name of its source."""
    year = kind.years[-1]
    for name, seed in (("a", 7), ("elsewhere/b", 7), ("c", 8)):
        rows = kind.write(tmp_path / name, year, kind.size, seed)
        assert rows == rows_of(tmp_path / name)
    twin_of(kind.source).write(tmp_path / "d", str(year), kind.size, 7)
    sums = [sha256_of(tmp_path / name) for name in ("a", "elsewhere/b", "c", "d")]
    assert sums[0] == sums[1] == sums[3] != sums[2]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "c", "d", "elsewhere"]


@each
def test_the_archive_says_that_it_is_synthetic_and_has_no_clock(kind, tmp_path):
    kind.write(tmp_path / "a.zip", kind.years[0], kind.size, 7)
    with zipfile.ZipFile(tmp_path / "a.zip") as opened:
        assert b"SYNTHETIC" in opened.comment
        assert b"SYNTHETIC" in opened.read(NOTE)
        dates = {info.date_time for info in opened.infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize(
    ("kind", "size", "advances"), [(SCHOOL, 230, 5), *long((HIGHER, 1100, 2))]
)
def test_progress_comes_to_the_size(kind, size, advances, tmp_path):
    with steps_watched() as steps:
        kind.write(tmp_path / "a.zip", 2018, size, 7)
    ((step, total, found),) = steps
    assert (step, total, sum(found)) == ("writing", size, size)
    assert len(found) >= advances


REGIONS = ("CO", "NORDESTE", "NORTE", "SUDESTE", "SUL")
SCHOOLS = [f"/MATRICULA_{region}.CSV" for region in REGIONS]


@pytest.mark.parametrize(
    ("kind", "year", "folder", "files"),
    [
        (SCHOOL, 2014, "2014/DADOS", SCHOOLS),
        (SCHOOL, 2015, "2015/DADOS", SCHOOLS),
        (SCHOOL, 2016, "micro_censo_escolar_2016/DADOS", SCHOOLS),
        (SCHOOL, 2017, "Microdados_Censo_Escolar_2017/DADOS", SCHOOLS),
        (SCHOOL, 2018, "microdados_ed_basica_2018/DADOS", SCHOOLS),
        (SCHOOL, 2019, "microdados_educacao_basica_2019/DADOS", SCHOOLS),
        (SCHOOL, 2020, "", [f"/matricula_{r.lower()}.CSV" for r in REGIONS]),
        (HIGHER, 2014, "2014/DADOS", ["/DM_ALUNO.CSV"]),
        (HIGHER, 2017, "2017/DADOS/DM_ALUNO", ["/DM_ALUNO.CSV"]),
        (HIGHER, 2018, "microdados_ed_superior_2018/dados", ["/DM_ALUNO.CSV"]),
        (HIGHER, 2019, "Microdados_Educação_Superior_2019/", ["/SUP_ALUNO_2019.CSV"]),
        (PENSE, 2015, "", ["PENSE_AMOSTRA1_ALUNO.CSV"]),
    ],
)
def test_files_are_where_that_year_had_them_under_its_names_of_columns(
    kind, year, folder, files, tmp_path
):
    kind.write(tmp_path / "a.zip", year, kind.size, 7)
    names = source_definition(kind.source, str(year), {}).names.values()
    with zipfile.ZipFile(tmp_path / "a.zip") as opened:
        note, *members = opened.namelist()
        assert note == NOTE
        assert all(map(str.endswith, members, files))
        assert len(members) == len(files)
        assert all(name.startswith(folder) for name in members)
        texts = [opened.read(member) for member in members]
    for text in texts:
        header = text.partition(b"\n")[0].decode("latin-1").split("|")
        assert kind is PENSE or header == list(names)
        assert b'"' not in text
        assert b"\r" not in text


@examples(25)
@given(st.sampled_from(HIGHER.years), st.integers(1, 40), st.integers(0, 1000))
def test_any_size_and_seed_is_ingested_without_refusal(
    tmp_path_factory, year, courses, seed
):
    folder = tmp_path_factory.mktemp("any")
    rows = HIGHER.write(folder / "a.zip", year, courses, seed)
    definition = source_definition(HIGHER.source, str(year), {})
    release = ReadRelease(folder / "a.zip", tuple(definition.names), is_synthetic=True)
    ingest(release, definition, folder / "a.parquet", folder / "a.json")
    assert pq.read_metadata(folder / "a.parquet").num_rows == rows


def refused(kind, year, size, seed, words):
    return pytest.param(kind.write, (year, size, seed), words)


def refusals(kind):
    first, last = kind.years[0], kind.years[-1]
    for year in (first - 1, last + 1):
        yield refused(kind, year, 30, 1, f"releases.*{kind.census} of {year}")
    for size in (0, kind.most + 1):
        words = rf"synthetic\.{kind.unit} is {size}; it must be from 1 to {kind.most}"
        yield refused(kind, first, size, 1, words)
    yield refused(kind, first, 30, -1, "seed is -1")


def outpatient(state, year, size, seed, words):
    return pytest.param(write_outpatient, (state, year, size, seed), words)


@pytest.mark.parametrize(
    ("write", "given", "words"),
    [
        *(each for kind in (SCHOOL, HIGHER, PENSE) for each in refusals(kind)),
        refused(PENSE, 2015, 1, 1, "schools is 1, and none of them has a 9th grade"),
        outpatient("XX", 2023, 2000, 1, "named XX-2023; the states are AC, AL, "),
        outpatient("RR", 2018, 2000, 1, "releases.*RR-2018.*the years 2019 to 2023"),
        outpatient("RR", 2024, 2000, 1, "releases.*RR-2024"),
        outpatient("RR", 2023, 1199, 1, "records is 1199; .* from 1200 to 200000000"),
        outpatient("RR", 2023, 200_000_001, 1, "synthetic.records is 200000001"),
        outpatient("RR", 2023, 2000, -1, "seed is -1"),
    ],
)
def test_what_cannot_be_written_is_refused_by_setting(tmp_path, write, given, words):
    with pytest.raises(StudyError, match=words):
        write(tmp_path / "a", *given)
    assert list(tmp_path.iterdir()) == []
