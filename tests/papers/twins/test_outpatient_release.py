import json
import os
import subprocess
import sys
import zipfile

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.files import sha256_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.twin import twin_of
from papers.twins.outpatient.release import write_outpatient
from papers.twins.outpatient.units import outpatient
from tests.examples import examples
from tests.papers.twins.outpatient_files import bytes_of, header_of
from tests.watched import steps_watched

NUMBER = ("N", 20, 2)
COLUMNS = {
    **{"PA_CODUNI": 7, "PA_GESTAO": 6, "PA_CONDIC": 2, "PA_UFMUN": 6, "PA_REGCT": 4},
    **{"PA_INCOUT": 4, "PA_INCURG": 4, "PA_TPUPS": 2, "PA_TIPPRE": 2, "PA_MN_IND": 1},
    **{"PA_CNPJCPF": 14, "PA_CNPJMNT": 14, "PA_CNPJ_CC": 14, "PA_MVM": 6, "PA_CMP": 6},
    **{"PA_PROC_ID": 10, "PA_TPFIN": 2, "PA_SUBFIN": 4, "PA_NIVCPL": 1},
    **{"PA_DOCORIG": 1, "PA_AUTORIZ": 13, "PA_CNSMED": 15, "PA_CBOCOD": 6},
    **{"PA_MOTSAI": 2, "PA_OBITO": 1, "PA_ENCERR": 1, "PA_PERMAN": 1, "PA_ALTA": 1},
    **{"PA_TRANSF": 1, "PA_CIDPRI": 4, "PA_CIDSEC": 4, "PA_CIDCAS": 4},
    **{"PA_CATEND": 2, "PA_IDADE": 3, "IDADEMIN": 3, "IDADEMAX": 3, "PA_FLIDADE": 1},
    **{"PA_SEXO": 1, "PA_RACACOR": 2, "PA_MUNPCN": 6, "PA_QTDPRO": ("N", 11, 0)},
    **{"PA_QTDAPR": ("N", 11, 0), "PA_VALPRO": NUMBER, "PA_VALAPR": NUMBER},
    **{"PA_UFDIF": 1, "PA_MNDIF": 1, "PA_DIF_VAL": NUMBER, "NU_VPA_TOT": NUMBER},
    **{"NU_PA_TOT": NUMBER, "PA_INDICA": 1, "PA_CODOCO": 1, "PA_FLQT": 1, "PA_FLER": 1},
    **{"PA_ETNIA": 4, "PA_VL_CF": NUMBER, "PA_VL_CL": NUMBER, "PA_VL_INC": NUMBER},
    **{"PA_SRV_C": 6, "PA_INE": 10, "PA_NAT_JUR": 4},
}
"""The office's columns in order: width of a text; type, width and decimals."""

NOTE = "LEIA-ME-SINTETICO.txt"
MONTHS = [f"{month:02}" for month in range(1, 13)]
STATES = outpatient().names


@pytest.fixture(scope="module")
def roraima(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outpatient") / "RR-2023"
    write_outpatient(folder, "RR", 2023, 20_000, seed=7)
    return folder


def sums(folder):
    return {path.name: sha256_of(path) for path in folder.iterdir()}


def names(folder):
    return sorted(path.name for path in folder.glob("*.dbf"))


def test_another_process_place_and_time_zone_give_the_same_bytes(roraima, tmp_path):
    program = (
        "from pathlib import Path; "
        "from papers.twins.outpatient.release import write_outpatient; "
        "write_outpatient(Path('elsewhere'), 'RR', 2023, 20_000, 7)"
    )
    other = os.environ | {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "5"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=other, check=True)
    assert sums(tmp_path / "elsewhere") == sums(roraima)


@pytest.mark.parametrize(
    "other", [("RR", 2022, 20_000, 7), ("RR", 2023, 20_000, 8), ("AP", 2023, 20_000, 7)]
)
def test_another_state_year_or_seed_gives_other_bytes(roraima, tmp_path, other):
    write_outpatient(tmp_path / "other", *other)
    ours = {sha256_of(path) for path in roraima.glob("*.dbf")}
    assert not ours & {sha256_of(path) for path in (tmp_path / "other").glob("*.dbf")}


def test_a_folder_that_is_there_is_replaced_and_nothing_left_beside(tmp_path):
    (tmp_path / "RR").mkdir()
    (tmp_path / "RR" / "PARR2213.dbf").touch()
    write_outpatient(tmp_path / "RR", "RR", 2023, 1200, seed=7)
    assert [path.name for path in tmp_path.iterdir()] == ["RR"]
    assert names(tmp_path / "RR")[0] == "PARR2301.dbf"


def test_a_month_is_a_file_named_by_state_year_and_month(roraima):
    assert names(roraima) == [f"PARR23{month}.dbf" for month in MONTHS]


@pytest.mark.parametrize(
    ("state", "year", "month", "parts"),
    [
        *(("SP", 2019, "02", "ab"), ("SP", 2019, "03", "abc")),
        *(("MG", 2021, "01", "ab"), ("MG", 2020, "12", [""]), ("RJ", 2023, "07", "ab")),
    ],
)
def test_a_month_of_a_large_state_has_its_parts_of_that_time(
    tmp_path, state, year, month, parts
):
    write_outpatient(tmp_path / "a", state, year, 1200, seed=7)
    stem = f"PA{state}{year % 100}{month}"
    found = [name for name in names(tmp_path / "a") if name.startswith(stem)]
    assert found == [f"{stem}{part}.dbf" for part in parts]


def test_every_file_has_the_columns_of_the_office_in_order(roraima):
    expected = [
        (name, *(kind if isinstance(kind, tuple) else ("C", kind, 0)))
        for name, kind in COLUMNS.items()
    ]
    assert len(expected) == 60
    assert all(header_of(path)[1] == expected for path in roraima.glob("*.dbf"))


def test_no_record_is_marked_as_deleted_and_numbers_are_right_aligned_ascii(roraima):
    for path in roraima.glob("*.dbf"):
        records = bytes_of(path)
        assert set(records["mark"].tolist()) == {b" "}
        assert records.view("u1").min() >= 32
        assert records.view("u1").max() < 127
        assert set(records["PA_VALPRO"].tolist()) == {b"0.00".rjust(20)}
        assert set(records["PA_QTDPRO"].tolist()) == {b"1".rjust(11)}


def test_the_folder_says_that_it_is_synthetic_and_headers_carry_no_clock(roraima):
    assert "SYNTHETIC" in (roraima / NOTE).read_text("ascii")
    assert (roraima / "PARR2304.dbf").read_bytes()[:4] == bytes([3, 123, 4, 1])


def test_records_are_counted_and_progress_comes_to_the_valid_ones(tmp_path):
    with steps_watched() as steps:
        rows = write_outpatient(tmp_path / "a", "SP", 2023, 5000, seed=7)
    assert rows == sum(header_of(path)[0] for path in (tmp_path / "a").glob("*.dbf"))
    ((step, total, advances),) = steps
    assert (step, total, sum(advances)) == ("writing", 5000, 5000)


@examples(40)
@given(
    st.sampled_from(STATES),
    st.integers(2019, 2023),
    st.integers(1200, 30_000),
    st.integers(0, 1000),
)
def test_of_any_state_size_and_seed_no_file_is_empty(
    tmp_path_factory, state, year, records, seed
):
    folder = tmp_path_factory.mktemp("any") / "a"
    write_outpatient(folder, state, year, records, seed)
    assert all(header_of(path)[0] > 0 for path in folder.glob("*.dbf"))


def test_the_source_reads_it_and_removes_the_invalid_records(roraima, tmp_path):
    definition = source_definition("datasus_sia_pa", "RR-2023", {})
    qids = ("PA_SEXO", "PA_RACACOR", "PA_IDADE", "PA_MUNPCN", "PA_CODUNI", "PA_MVM")
    used = (*qids, "PA_CMP", "PA_PROC_ID")
    release = ReadRelease(roraima, used, is_synthetic=True)
    ingest(release, definition, tmp_path / "a.parquet", tmp_path / "a.json")
    receipt = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert receipt["n_read"] == sum(header_of(f)[0] for f in roraima.glob("*.dbf"))
    assert receipt["n_kept"] == 20_000
    assert pq.read_metadata(tmp_path / "a.parquet").num_rows == 20_000


def test_a_study_writes_a_zip_of_months_with_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        twin_of("datasus_sia_pa").write(tmp_path / name, "RR-2023", 1_200, 7)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    months = zipfile.ZipFile(tmp_path / "a").namelist()[1:]
    assert months == [f"PARR23{month}.dbf" for month in MONTHS]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
