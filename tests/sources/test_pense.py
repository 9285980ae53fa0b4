"""The survey of students' health is read as IBGE wrote it."""

import re

import pyarrow.parquet as pq
import pytest

from microleak.base.errors import StudyError, TableError
from microleak.sources.definitions.definition import ROW, source_definition
from microleak.sources.definitions.options import is_pattern
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.sources.released import SECRET, given_values, plain, zipped

STUDENT = given_values(
    "ANOPESQ=2015 UFCENSO=31 MUNICIPIO_CAP=3106200 VB01001=1 VB01002=4 VB01003=14 "
    "VB01004=3 VB01005=2001 VB07008=-1 aluno=1"
)
QIDS = ("MUNICIPIO_CAP", "VB01001", "VB01002", "VB01004", "VB01005")


def pense(release="2015", **options):
    return source_definition("ibge_pense", release, options)


def survey(*students, delimiter=";", end="\r\n", extra="VB99999"):
    rows = [[*STUDENT, extra], *([*(STUDENT | s).values(), "é"] for s in students)]
    return "".join(delimiter.join(row) + end for row in rows).encode("latin-1")


def table(tmp_path, archive, attributes=QIDS):
    paths = tmp_path / "table.parquet", tmp_path / "receipt.json"
    ingest(ReadRelease(archive, tuple(attributes)), pense(), *paths)
    return pq.read_table(paths[0]).drop_columns([ROW])


def refused(tmp_path, data, words):
    with pytest.raises(TableError, match=words) as error:
        table(tmp_path, plain(tmp_path / "in.csv", data))
    assert SECRET not in str(error.value)


def test_students_are_read_under_the_names_of_the_survey(tmp_path):
    file = {
        "Dados/PENSE_AMOSTRA1_ALUNO.CSV": survey({}, {"aluno": "2", "VB01001": "2"}),
        "Dados/PENSE_AMOSTRA1_ESCOLA.CSV": b"other",
        "Dados/PENSE_AMOSTRA2_ALUNO.CSV": b"other",
    }
    read = table(tmp_path, zipped(tmp_path / "pense.zip", file))
    assert read.column_names == ["aluno", *QIDS]
    assert read["VB01001"].to_pylist() == ["1", "2"]
    assert read["MUNICIPIO_CAP"].to_pylist() == ["3106200"] * 2


def test_a_question_that_was_skipped_or_not_answered_is_a_value(tmp_path):
    file = plain(tmp_path / "in.csv", survey({"VB01002": "99", "VB01004": ""}))
    read = table(tmp_path, file, ("VB01002", "VB01004", "VB07008"))
    assert read.to_pylist() == [
        {"aluno": "1", "VB01002": "99", "VB01004": None, "VB07008": "-1"}
    ]


def test_quoted_values_are_those_between_the_quotes(tmp_path):
    data = survey({}).replace(b";4;", b';"4";')
    read = table(tmp_path, plain(tmp_path / "in.csv", data))
    assert read["VB01002"].to_pylist() == ["4"]


def test_records_are_persons_whom_no_other_release_knows():
    assert pense().identifiers == ("aluno",)
    assert not pense().links("2012")


def test_a_code_that_the_survey_does_not_have_is_refused(tmp_path, attribute, value):
    refused(tmp_path, survey({attribute: value}), f"line 2.*{attribute}")


def test_a_file_of_schools_is_refused(tmp_path):
    refused(tmp_path, b"aluno;V0007\n1;1\n", "line 1 has no column MUNICIPIO_CAP")


def test_a_year_without_names_is_refused():
    with pytest.raises(StudyError, match="ibge_pense has no release 2012; there are 2"):
        pense("2012")


def test_domains_are_of_attributes_that_it_has():
    assert set(pense().domains) <= set(pense().names)
    assert all(is_pattern(domain.pattern) for domain in pense().domains.values())


def test_all_capitals_and_no_municipality_are_in_the_domain():
    pattern = pense().domains["MUNICIPIO_CAP"].pattern
    assert all(re.fullmatch(pattern, code) for code in ("0", "1100205", "5300108"))
    assert not re.fullmatch(pattern, "99")
