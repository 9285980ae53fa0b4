"""Each release of the two censuses is read as INEP wrote it that year."""

import zipfile

import pyarrow.parquet as pq
import pytest

from microleak.base.errors import TableError
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.sources.released import (
    SECRET,
    census,
    delimited_file,
    fixed_width_file,
    higher,
    zipped,
)

OLD = {
    "TP_SEXO": "0",
    "TP_COR_RACA": "6",
    "IN_DEFICIENCIA": "2",
    "TP_ESCOLA_CONCLUSAO_ENS_MEDIO": "0",
}
NEW = {
    "TP_SEXO": "2",
    "TP_COR_RACA": "9",
    "IN_DEFICIENCIA": "9",
    "TP_ESCOLA_CONCLUSAO_ENS_MEDIO": "2",
}


def table(tmp_path, archive, definition, *attributes):
    wanted = ReadRelease(archive, attributes or tuple(definition.names))
    paths = tmp_path / "table.parquet", tmp_path / "receipt.json"
    ingest(wanted, definition, *paths)
    return pq.read_table(paths[0])


def of_higher(tmp_path, year, data, member="DADOS/DM_ALUNO.CSV"):
    return table(tmp_path, zipped(tmp_path / "in.zip", {member: data}), higher(year))


def refused(words, *arguments, kind=TableError):
    with pytest.raises(kind, match=words) as error:
        table(*arguments)
    assert SECRET not in str(error.value)


def test_higher_education_is_read_by_the_codes_of_its_year(tmp_path, year, member):
    record = OLD if int(year) < 2017 else NEW
    read = of_higher(tmp_path, year, delimited_file(higher(year), record), member)
    assert read.column_names[:2] == ["ID_ALUNO", "CO_ALUNO_CURSO"]
    assert set(read.column_names) == set(higher(year).names)
    assert {name: read[name].to_pylist() for name in NEW} == {
        name: [value] for name, value in NEW.items()
    }
    assert read["IN_FINANCIAMENTO_ESTUDANTIL"].to_pylist() == [None]


@pytest.mark.parametrize("year", ["2010", "2011", "2012"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_higher_education_to_2012_has_fields_at_fixed_places(tmp_path, year, end):
    old = {**OLD, "CO_IES": "12", "NU_ANO_INGRESSO": ""}
    data = fixed_width_file(higher(year), old, {"TP_SEXO": "1"}, end=end)
    read = of_higher(tmp_path, year, data, "DADOS/ALUNO.txt")
    assert read["TP_SEXO"].to_pylist() == ["2", "1"]
    assert read["TP_COR_RACA"].to_pylist() == ["9", "0"]
    assert read["IN_DEFICIENCIA"].to_pylist() == ["9", "0"]
    assert read["CO_IES"].to_pylist() == ["12", "1"]
    assert read["NU_ANO_INGRESSO"].to_pylist() == [None, "2017"]
    assert read["ID_ALUNO"].to_pylist() == ["0" * 12] * 2


@pytest.mark.parametrize("year", [str(year) for year in range(2008, 2021)])
def test_the_school_census_is_read_under_the_names_of_the_year(tmp_path, year):
    data = delimited_file(census(year), {"TP_SEXO": "2"})
    archive = zipped(tmp_path / "in.zip", {f"{year}/DADOS/MATRICULA_CO.CSV": data})
    read = table(tmp_path, archive, census(year))
    assert read["NU_ANO_CENSO"].to_pylist() == [year]
    assert set(read.column_names) == set(census(year).names)


@pytest.mark.parametrize("year", ["2007", "2008", "2009", "2013"])
def test_school_censuses_by_state_have_fields_at_fixed_places(tmp_path, year):
    letters = {"TP_SEXO": "F", "CO_MUNICIPIO_NASC": ""}
    data = fixed_width_file(census(year), {"TP_SEXO": "M"}, letters)
    archive = zipped(tmp_path / "in.zip", {"DADOS/TS_MATRICULA_SP.TXT": data})
    read = table(tmp_path, archive, census(year))
    assert read["TP_SEXO"].to_pylist() == ["1", "2"]
    assert read["CO_MUNICIPIO_NASC"].to_pylist() == ["3550308", None]
    assert read["NU_ANO_CENSO"].to_pylist() == [year] * 2


@pytest.mark.parametrize("year", ["2008", "2013"])
def test_both_forms_of_a_year_give_the_same_table(tmp_path, year):
    records = [{"TP_SEXO": "M"}, {"NU_DIA": ""}]
    forms = {
        "MATRICULA_SUL.CSV": delimited_file(census(year), *records),
        "TS_MATRICULA_RS.TXT": fixed_width_file(census(year), *records),
    }
    read = [
        table(tmp_path, zipped(tmp_path / "in.zip", {name: data}), census(year))
        for name, data in forms.items()
    ]
    assert read[0].equals(read[1])


REFUSED = {
    "both forms": (
        {
            "MATRICULA_SUL.CSV": delimited_file(census("2013"), {}),
            "TS_MATRICULA_RS.TXT": fixed_width_file(census("2013"), {}),
        },
        census("2013"),
        "TS_MATRICULA_RS.TXT: some members have a header.*Keep those of one kind",
    ),
    "no layout": (
        {"TS_MATRICULA_RS.TXT": fixed_width_file(census("2013"), {})},
        census("2011"),
        "fixed places, which are not known for 2011.*inep_school_census.csv",
    ),
    "the layout of another year": (
        {"ALUNO.txt": fixed_width_file(higher("2011"), {})},
        higher("2012"),
        r"ALUNO\.txt: line 1 has 1197 bytes, 1774 expected",
    ),
    "a value, by its line from the first without a header": (
        {"ALUNO.txt": fixed_width_file(higher("2010"), {}, {"TP_SEXO": "3"})},
        higher("2010"),
        r"ALUNO\.txt: line 2: TP_SEXO must be 0 or 1",
    ),
    "the course-level release of 2022": (
        {
            "dados/MICRODADOS_CADASTRO_CURSOS_2018.CSV": (
                b"NU_ANO_CENSO;CO_IES;CO_CURSO;QT_CURSO;QT_MAT\n2018;1;1;1;40\n"
            )
        },
        higher("2018"),
        r"has the column QT_MAT: this is a course-level file \(one row a course\)",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_of_the_form_of_its_year_is_refused(tmp_path, kind):
    files, definition, words = REFUSED[kind]
    refused(words, tmp_path, zipped(tmp_path / "in.zip", files), definition)


def test_equal_records_of_2016_and_2017_give_equal_tables(tmp_path):
    shared = [name for name in higher("2017").names if name != "NU_ANO_CENSO"]
    both = []
    for year, record in (("2016", OLD), ("2017", NEW)):
        data = delimited_file(higher(year), record, {}, {"TP_SEXO": ""})
        both.append(of_higher(tmp_path, year, data).select(shared))
    assert both[0].equals(both[1])


def test_what_was_no_code_of_the_year_is_refused_in_the_codes_of_the_year(
    tmp_path, attribute, value, expected
):
    data = delimited_file(higher("2016"), {}, {attribute: value})
    archive = zipped(tmp_path / "in.zip", {"DM_ALUNO.CSV": data})
    words = rf"in\.zip: DM_ALUNO\.CSV: line 3: {attribute} must be {expected}\."
    refused(words, tmp_path, archive, higher("2016"))


class CodePage850(zipfile.ZipInfo):
    """An entry whose name is written as old Windows programs write it."""

    def _encodeFilenameFlags(self):  # noqa: N802
        return self.filename.encode("cp850"), self.flag_bits & ~0x800


def test_a_zip_in_a_zip_under_a_garbled_folder_is_found_by_its_base_name(tmp_path):
    data = delimited_file(higher("2019"), {})
    inner = zipped(tmp_path / "inner.zip", {"SUP_ALUNO_2019.CSV": data})
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        name = "Microdados_Educação_Superior_2019/dados/SUP_ALUNO_2019.zip"
        archive.writestr(CodePage850(name), inner.read_bytes())
    garbled = zipfile.ZipFile(tmp_path / "in.zip").namelist()
    assert not garbled[0].startswith("Microdados_Educação")
    assert table(tmp_path, tmp_path / "in.zip", higher("2019")).num_rows == 1
