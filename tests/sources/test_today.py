"""Releases of today are read as their offices write them, by config/ alone."""

from hashlib import sha256

import pyarrow.parquet as pq
import pytest

from microleak.base.errors import TableError
from microleak.sources.definitions.definition import ROW, source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.sources.dbc_files import dbf, packed
from tests.sources.released import SECRET, plain, zipped

FIRST = {
    "NU_INSCRICAO": "210066506229",
    "TP_SEXO": "F",
    "CO_MUNICIPIO_PROVA": "3550308",
}


def definition(source, release):
    return source_definition(source, release, {})


def in_order(of):
    """The official names of a release of Enem as its files have them."""
    names = [*of.names.values()]
    is_question = [name[0] == "Q" for name in names]
    asked = sorted(name for name, q in zip(names, is_question, strict=True) if q)
    return [name for name, q in zip(names, is_question, strict=True) if not q] + asked


def delimited(of, *records):
    names = in_order(of) if of.source == "inep_enem" else [*of.names.values()]
    given = [{of.official(name): text for name, text in r.items()} for r in records]
    rows = [names, *([record.get(name, "") for name in names] for record in given)]
    return "".join(f"{of.delimiter.join(row)}\n" for row in rows).encode("latin-1")


def read(tmp_path, archive, of, attributes):
    paths = tmp_path / "table.parquet", tmp_path / "receipt.json"
    ingest(ReadRelease(archive, tuple(attributes)), of, *paths)
    found = pq.read_table(paths[0])
    return found.drop_columns([ROW] if ROW in found.column_names else []).to_pylist()


@pytest.mark.parametrize(
    ("release", "beginning"),
    [
        *((str(year), "91352415") for year in range(2019, 2024)),
        ("PARTICIPANTES-2024", "56973097"),
        ("PARTICIPANTES-2025", "56973097"),
        ("RESULTADOS-2024", "6a7baabf"),
        ("RESULTADOS-2025", "ee1c0207"),
    ],
)
def test_names_of_the_exam_are_those_of_its_headers(release, beginning):
    header = ";".join(in_order(definition("inep_enem", release)))
    assert sha256(f"{header}\n".encode()).hexdigest().startswith(beginning)


def test_both_halves_of_the_exam_are_read_from_one_archive(tmp_path):
    halves = [
        definition("inep_enem", f"{half}-2024")
        for half in ("PARTICIPANTES", "RESULTADOS")
    ]
    person = {**FIRST, "Q007": "B", "NO_MUNICIPIO_PROVA": "São Paulo"}
    marks = {
        "NU_INSCRICAO": "7",
        "CO_MUNICIPIO_PROVA": "3550308",
        "NU_NOTA_MT": "612.3",
    }
    files = {
        "DADOS/PARTICIPANTES_2024.csv": delimited(halves[0], person),
        "DADOS/RESULTADOS_2024.csv": delimited(halves[1], marks),
        "DADOS/ITENS_PROVA_2024.csv": b"CO_ITEM\n1\n",
    }
    archive = zipped(tmp_path / "microdados_enem_2024.zip", files)
    asked = ("CO_MUNICIPIO_PROVA", "Q007")
    assert read(tmp_path, archive, halves[0], asked) == [
        {"NU_INSCRICAO": "210066506229", "CO_MUNICIPIO_PROVA": "3550308", "Q007": "B"}
    ]
    assert read(tmp_path, archive, halves[1], ["NU_NOTA_MT", "CO_ESCOLA"]) == [
        {"NU_INSCRICAO": "7", "NU_NOTA_MT": "612.3", "CO_ESCOLA": None}
    ]
    assert not halves[0].links("RESULTADOS-2024")
    assert "Q007" in halves[1].unreleased


def test_a_question_has_the_name_of_the_newest_release(tmp_path):
    of = definition("inep_enem", "2023")
    assert of.official("Q007") == "Q006"
    file = plain(tmp_path / "in.csv", delimited(of, {**FIRST, "Q007": "C"}))
    (row,) = read(tmp_path, file, of, ["TP_SEXO", "Q007"])
    assert row == {"NU_INSCRICAO": "210066506229", "TP_SEXO": "F", "Q007": "C"}


def test_another_header_is_refused_by_name_with_what_to_edit(tmp_path):
    of = definition("inep_enem", "PARTICIPANTES-2025")
    data = delimited(of, FIRST).replace(b";Q007;", b";Q07;")
    with pytest.raises(TableError, match=r"Q007.*config/names/inep_enem.csv") as error:
        read(tmp_path, plain(tmp_path / "in.csv", data), of, ["Q007"])
    assert SECRET not in str(error.value)


def test_files_of_the_census_have_one_household_key(tmp_path):
    persons, homes = (
        definition("ibge_census_sample", f"{file}-2022")
        for file in ("PESSOAS", "DOMICILIOS")
    )
    rows = [{"P0020": "11", "P0100": "5", "P0180": str(age)} for age in (7, 17)]
    files = {
        "Pessoas_11_publico.csv": delimited(persons, *rows),
        "Domicilios_11_publico.csv": delimited(homes, {"D0020": "11", "D0100": "5"}),
    }
    archive = zipped(tmp_path / "11_RO.zip", files)
    assert read(tmp_path, archive, persons, ["P0100", "P0180"]) == [
        {"P0100": "5", "P0180": "7"},
        {"P0100": "5", "P0180": "17"},
    ]
    assert read(tmp_path, archive, homes, ["D0100"]) == [{"D0100": "5"}]


@pytest.mark.parametrize(
    ("file", "n_fields", "n_bytes"), [("PESSOAS", 244, 540), ("DOMICILIOS", 76, 172)]
)
def test_fields_of_the_census_of_2010_fill_its_lines(tmp_path, file, n_fields, n_bytes):
    of = definition("ibge_census_sample", f"{file}-2010")
    assert len(of.names) == n_fields
    places = sorted(of.layout.fields.values())
    ends = [0, *(stop for _, stop in places)]
    assert [start for start, _ in places] == ends[:-1]
    assert ends[-1] == of.layout.n_bytes == n_bytes
    line = ["0"] * n_bytes
    for name, text in {"V0001": "35", "V0002": "50308"}.items():
        start, stop = of.layout.fields[name]
        line[start:stop] = text
    data = ("".join(line) + "\r\n").encode()
    archive = zipped(tmp_path / "a.zip", {f"Amostra_{file.title()}_35_RMSP.txt": data})
    assert read(tmp_path, archive, of, ["V0001", "V0002"]) == [
        {"V0001": "35", "V0002": "50308"}
    ]


@pytest.mark.parametrize(
    ("source", "file", "n_columns", "day"),
    [
        ("datasus_sim", "DOAC2016.dbc", 88, "DTOBITO"),
        ("datasus_sinasc", "DNAC2016.dbc", 62, "DTNASC"),
    ],
)
def test_births_and_deaths_are_packed_tables_of_a_state(
    tmp_path, source, file, n_columns, day
):
    of = definition(source, "AC-2016")
    assert len(of.columns) == n_columns
    columns = [(day, 8), ("SEXO", 1), ("CODMUNRES", 6), ("RACACOR", 1)]
    table = packed(dbf(columns, [["31122016", "2", "120040", "4"]]))
    archive = zipped(tmp_path / "a.zip", {file: table})
    (row,) = read(tmp_path, archive, of, [day, "SEXO"])
    assert row == {day: "31122016", "SEXO": "2"}


def test_a_lecturer_keeps_the_identifier_until_2017(tmp_path):
    of = definition("inep_higher_education_lecturers", "2016")
    assert of.official("TP_SEXO") == "IN_SEXO_DOCENTE"
    assert of.links("2014") and not of.links("2018")
    record = {"ID_DOCENTE": "12", "CO_DOCENTE_IES": "3", "TP_SEXO": "1"}
    archive = zipped(tmp_path / "a.zip", {"DM_DOCENTE.CSV": delimited(of, record)})
    assert read(tmp_path, archive, of, ["TP_SEXO"]) == [record]
