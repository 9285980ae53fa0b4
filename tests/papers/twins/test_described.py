"""Twins that a description draws: of today's releases, in their raw form."""

import io
import zipfile

import pandas as pd
import pytest

from microleak.base.errors import StudyError
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.twin import twin_of, twin_size
from papers.twins.described import Release

CENSUS, ENEM = "ibge_census_sample", "inep_enem"
LECTURERS = "inep_higher_education_lecturers"
SIZE = 4000
RELEASES = [
    (CENSUS, "PESSOAS-2022"),
    (CENSUS, "DOMICILIOS-2022"),
    (ENEM, "2023"),
    (ENEM, "PARTICIPANTES-2024"),
    (ENEM, "RESULTADOS-2024"),
    *((LECTURERS, str(year)) for year in (2013, 2017, 2018)),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("described")
    found = {}
    for source, release in RELEASES:
        found[source, release] = folder / f"{source}-{release}.zip"
        twin_of(source).write(found[source, release], release, SIZE, 11)
    return found


def rows(written, source, release):
    """Return the rows of a release by the newest names of what it has."""
    definition = source_definition(source, release, {})
    newest = {official: name for name, official in definition.names.items()}
    with zipfile.ZipFile(written[source, release]) as archive:
        files = [n for n in archive.namelist() if n.lower().endswith(".csv")]
        texts = [archive.read(name).decode("latin-1") for name in files]
    parts = [
        pd.read_csv(io.StringIO(text), sep=definition.delimiter, dtype=str)
        for text in texts
    ]
    return pd.concat(parts).rename(columns=newest)


@pytest.mark.parametrize(("source", "release"), RELEASES)
def test_a_release_is_read_as_its_source_is(written, source, release, tmp_path):
    definition = source_definition(source, release, {})
    named = tuple(n for n in definition.domains if n in definition.names)
    read = ReadRelease(written[source, release], named, is_synthetic=True)
    ingest(read, definition, tmp_path / "t.parquet", tmp_path / "t.json")
    refused = pd.read_json(tmp_path / "t.json", typ="series")["n_refused"]
    assert not refused


@pytest.mark.parametrize(("source", "release"), RELEASES[::2])
def test_a_release_is_the_same_bytes_each_time(written, source, release, tmp_path):
    twin_of(source).write(tmp_path / "again", release, SIZE, 11)
    assert (tmp_path / "again").read_bytes() == written[source, release].read_bytes()
    twin_of(source).write(tmp_path / "other", release, SIZE, 12)
    assert (tmp_path / "other").read_bytes() != written[source, release].read_bytes()


def test_people_of_a_census_live_in_its_households(written):
    people, homes = (rows(written, CENSUS, release) for _, release in RELEASES[:2])
    assert {*people["P0100"]} == {*homes["D0100"]} and homes["D0100"].is_unique
    of_home = people.groupby("P0100")
    numbers = people["P0101"].astype(int).groupby(people["P0100"]).max()
    assert (numbers == of_home.size()).all()
    assert (people.loc[people["P0101"] == "1", "P0170"] == "1").all()
    assert (of_home["P0110"].nunique() == 1).all()
    assert ((people["P0150"] == "9") == (people["P0180"] == "99")).all()
    spouse = people[people["P0170"] == "2"].merge(
        people[people["P0170"] == "1"], on="P0100"
    )
    known = spouse[(spouse["P0150_x"] != "9") & (spouse["P0150_y"] != "9")]
    assert (known["P0150_x"] != known["P0150_y"]).all()


def test_both_halves_of_an_exam_have_the_same_people_in_other_orders(written):
    asked, marked = (rows(written, ENEM, f"{half}-2024") for half in HALVES)
    of_place = [half["CO_MUNICIPIO_PROVA"].value_counts() for half in (asked, marked)]
    pd.testing.assert_series_equal(of_place[0].sort_index(), of_place[1].sort_index())
    assert marked["NU_INSCRICAO"].tolist() == [
        str(n) for n in range(1, len(marked) + 1)
    ]
    assert not asked["CO_MUNICIPIO_PROVA"].equals(marked["CO_MUNICIPIO_PROVA"])
    with_school = marked["CO_ESCOLA"].notna()
    assert with_school.sum() <= (asked["TP_ST_CONCLUSAO"] == "2").sum()
    assert marked.loc[~with_school, "CO_MUNICIPIO_ESC"].isna().all()


HALVES = ("PARTICIPANTES", "RESULTADOS")


def test_schools_of_few_are_masked_and_others_are_not(written):
    marked = rows(written, ENEM, "RESULTADOS-2024")["CO_ESCOLA"].dropna()
    is_masked = marked.str.startswith("99")
    sizes = marked.map(marked.value_counts())
    assert ((sizes < 10) == is_masked).all() and is_masked.any()


def test_marks_are_of_those_who_were_there(written):
    found = rows(written, ENEM, "2023")
    assert (found["NU_NOTA_MT"].notna() == (found["TP_PRESENCA_MT"] == "1")).all()
    assert found["NU_NOTA_MT"].dropna().str.fullmatch(r"\d+\.\d").all()


def test_lecturers_keep_the_identifier_and_their_birth(written):
    first, last = (rows(written, LECTURERS, year) for year in ("2013", "2017"))
    both = first.merge(last.drop_duplicates("ID_DOCENTE"), on="ID_DOCENTE")
    assert 0.8 * len(first) < len(both) < len(first)
    for name in ("NU_ANO_NASCIMENTO", "TP_SEXO"):
        assert (both[f"{name}_x"] == both[f"{name}_y"]).all()


@pytest.mark.parametrize("key", ["instead", "only"])
def test_numbers_without_digits_take_no_other_values(key):
    income = {"mean": 7, "spread": 1, key: {"kind": {}}}
    level = {"rows": {"each": 1}, "draw": {"kind": {"is": 1}, "income": income}}
    with pytest.raises(StudyError, match="income: instead and only are of texts"):
        Release({"levels": {"person": level}}, 10, 1, 2022)


def test_years_and_sizes_that_a_description_lacks_are_refused():
    with pytest.raises(StudyError, match="the twin of inep_enem has 2023 to 2024"):
        twin_size(ENEM, "2019", {"persons": 10}, "study")
    with pytest.raises(StudyError, match="in persons, not in schools"):
        twin_size(ENEM, "2023", {"schools": 10}, "study")
