"""Archives that a twin made are known as synthetic; a release of its has a size."""

import shutil
import zipfile

import pyarrow.parquet as pq
import pytest

from microleak.base.errors import ArchiveError, StudyError
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.archive import members
from microleak.sources.files.identity import is_marked
from microleak.sources.files.member import NOTE
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.twin import twin_size
from microleak.study.load import load_study
from papers.twins import write_outpatient, write_school_census
from tests.sources.dbc_files import month_table, packed, written, year_of_files
from tests.sources.released import SECRET, census, census_text, zipped

RORAIMA = source_definition("datasus_sia_pa", "RR-2023", {})


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("twin") / "RR-2023"
    write_outpatient(folder, "RR", 2023, 1200, seed=7)
    return folder


@pytest.fixture(scope="module")
def schools(tmp_path_factory):
    path = tmp_path_factory.mktemp("schools") / "2018.zip"
    write_school_census(path, 2018, 1, seed=7)
    return path


@pytest.fixture
def loose(twin, tmp_path):
    folder = shutil.copytree(twin, tmp_path / "loose")
    (folder / NOTE).unlink()
    return folder


def zip_of(folder, path):
    return zipped(path, {f"x/{f.name}": f.read_bytes() for f in folder.iterdir()})


def test_a_folder_and_a_zip_of_a_twin_are_known(twin, tmp_path):
    assert is_marked(twin, RORAIMA)
    assert is_marked(zip_of(twin, tmp_path / "a.zip"), RORAIMA)


def test_tables_of_a_twin_are_known_without_the_note(loose, tmp_path):
    assert is_marked(loose, RORAIMA)
    assert is_marked(zip_of(loose, tmp_path / "a.zip"), RORAIMA)


def test_one_table_of_a_twin_among_released_ones_is_known(loose, tmp_path):
    folder = written(tmp_path / "RR", year_of_files())
    (folder / "PARR2312.dbc").unlink()
    shutil.copy(loose / "PARR2312.dbf", folder)
    assert is_marked(folder, RORAIMA)


def test_a_table_of_a_twin_that_is_packed_keeps_its_mark(loose, tmp_path):
    data = packed((loose / "PARR2312.dbf").read_bytes())
    assert is_marked(written(tmp_path / "RR", {"PARR2312.dbc": data}), RORAIMA)


def test_a_table_of_a_twin_of_another_release_says_nothing_of_this_one(loose):
    assert not is_marked(loose, source_definition("datasus_sia_pa", "RR-2022", {}))


def test_a_census_of_a_twin_is_known_as_zip_unpacked_or_with_others(schools, tmp_path):
    assert is_marked(schools, census())
    assert is_marked(schools.parent, census())
    with zipfile.ZipFile(schools) as archive:
        archive.extractall(tmp_path / "unpacked")
    assert is_marked(tmp_path / "unpacked", census())


def test_a_note_is_known_in_any_case_and_folder(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / NOTE.lower()).touch()
    assert is_marked(tmp_path, census())


@pytest.mark.parametrize("archive", ["RR", "RR.zip", "cut.zip", "none", "a.csv"])
def test_what_no_twin_made_has_no_mark(tmp_path, archive):
    files = year_of_files()
    written(tmp_path / "RR", files | {"cut.zip": b"PK"})
    whole = zipped(tmp_path / "RR.zip", files).read_bytes()
    written(tmp_path, {"cut.zip": whole[:300], "a.csv": b"id\n1\n"})
    assert not is_marked(tmp_path / archive, RORAIMA)


def ingested(archive, definition, folder, is_synthetic):
    paths = folder / "a.parquet", folder / "a.json"
    attributes = ("TP_SEXO",) if definition.names else ("PA_SEXO",)
    release = ReadRelease(archive, attributes, is_synthetic=is_synthetic)
    ingest(release, definition, *paths)
    return pq.read_schema(paths[0]).metadata[b"data"]


def test_a_twin_that_is_not_known_as_one_is_refused_in_one_line(loose, tmp_path):
    out = tmp_path / "out"
    words = r"^loose is synthetic .* not known .* If it came from a url, set archive to"
    with pytest.raises(ArchiveError, match=words) as error:
        ingested(loose, RORAIMA, out, is_synthetic=False)
    assert "\n" not in str(error.value)
    assert list(out.rglob("*")) == []
    assert ingested(loose, RORAIMA, out, is_synthetic=True) == b"SYNTHETIC"


def test_a_zip_of_a_twin_within_a_zip_is_refused(schools, tmp_path):
    data = schools.read_bytes()
    outer = zipped(tmp_path / "outer.zip", {"2018.zip": data})
    words = (
        r"^outer.zip: 2018.zip is synthetic, which is not seen in a zip within a zip"
    )
    with pytest.raises(ArchiveError, match=words):
        ingested(outer, census(), tmp_path / "out", is_synthetic=False)


def test_a_zip_of_a_twin_in_a_folder_can_be_read(schools):
    assert len(list(members(schools.parent, census().members))) == 5


def test_released_files_stay_released(tmp_path):
    archive = zipped(tmp_path / "a.zip", {"MATRICULA_CO.CSV": census_text({}, {})})
    assert ingested(archive, census(), tmp_path / "out", False) == b"released"


def test_a_mark_is_not_looked_for_in_records(tmp_path):
    records = [{"PA_CODUNI": "SINTETI"}, {"PA_MUNPCN": SECRET[:6]}]
    files = {"PARR2301.dbf": month_table(*records)}
    assert not is_marked(written(tmp_path / "RR", files), RORAIMA)


def test_a_size_is_given_in_the_unit_of_the_source():
    assert twin_size("inep_school_census", "2018", {"schools": 27}, "here") == 27
    words = r"here: the size of a synthetic inep_school_census is given in schools"
    with pytest.raises(StudyError, match=words):
        twin_size("inep_school_census", "2018", {"courses": 27}, "here")


def test_a_source_without_a_twin_has_no_size():
    with pytest.raises(StudyError, match="delimited has no synthetic twin; these have"):
        twin_size("delimited", "2018", {"schools": 27}, "here")


def test_a_year_that_a_twin_does_not_make_is_refused(source, release, unit, made):
    words = f"^here: the twin of {source} has {made}. Correct the release's year"
    with pytest.raises(StudyError, match=words):
        twin_size(source, release, {unit: 2000}, "here")


@pytest.mark.parametrize("release", ["AC-2019", "SP-2023"])
def test_the_first_and_the_last_year_of_a_twin_are_made(release):
    assert twin_size("datasus_sia_pa", release, {"records": 2000}, "here") == 2000


def test_it_is_refused_when_the_study_is_read(tmp_path):
    path = tmp_path / "study.yaml"
    text = """\
study: ahead
seed: 7
tables:
  sia: {source: datasus_sia_pa, releases: {AC-2024: {synthetic: {records: 2000}}}}
analyses:
  collective:
    - {name: one, table: sia, focal: AC-2024, qids: [PA_SEXO], sensitive: []}
"""
    path.write_text(text, encoding="utf-8")
    words = r"study.yaml: sia AC-2024: the twin of datasus_sia_pa has 2019 to 2023\."
    with pytest.raises(StudyError, match=words):
        load_study(path)
