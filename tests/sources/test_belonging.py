"""Records of another state or month than the name of their file says."""

import csv

import pytest

from microleak.base.errors import ArchiveError
from microleak.base.paths import ROOT
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.archive import members
from microleak.sources.formats.dbc import unpacked
from microleak.sources.formats.reader import ReadSizes, chunks
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.sources.dbc_files import dbf, month_table, packed, written, year_of_files
from tests.sources.released import SECRET, plain

SAMPLE = ROOT.parent / "shared" / "data" / "sia_pa_ac_2016_06_sample.csv"
PLACE = [("PA_UFMUN", 6)]
STATES = source_definition("datasus_sia_pa", "RR-2023", {}).monthly.state_codes


def read(path, release="RR-2023", attributes=("PA_SEXO",), sizes=None):
    definition = source_definition("datasus_sia_pa", release, {})
    rows = []
    (member,) = members(path, definition.members)
    table = unpacked(member, definition)
    for chunk in chunks(table, definition, attributes, sizes or ReadSizes()):
        assert chunk.column_names == [*attributes]
        rows += chunk.to_pylist()
    return rows


def january(tmp_path, *records, name="PARR2301.dbf"):
    data = month_table(*records, more=PLACE)
    return plain(tmp_path / name, packed(data) if name.endswith("c") else data)


OWN = {"PA_UFMUN": "140010"}


@pytest.mark.parametrize("name", ["PARR2301.dbf", "PARR2301.dbc", "parr2301b.DBF"])
def test_records_of_the_state_and_month_of_the_name_are_read(tmp_path, name):
    path = january(tmp_path, OWN, OWN | {"PA_UFMUN": "140005"}, name=name)
    assert read(path) == [{"PA_SEXO": "F"}] * 2


@pytest.mark.parametrize("name", ["PA_MVM", "PA_UFMUN", "pa_mvm"])
def test_what_a_column_says_that_is_there_twice_is_not_asked(tmp_path, name):
    rows = [OWN | {name: "999999"}]
    path = plain(
        tmp_path / "PARR2301.dbf", month_table(*rows, more=[*PLACE, (name, 6)])
    )
    assert read(path) == [{"PA_SEXO": "F"}]


@pytest.mark.parametrize("name", ["PARR2301.dbf", "PARR2301.dbc"])
def test_one_record_of_another_state_or_month_is_refused(tmp_path, record, words, name):
    path = january(tmp_path, OWN, OWN, OWN | record, OWN, name=name)
    with pytest.raises(ArchiveError, match=f"^{name} has records of {words}") as error:
        read(path, sizes=ReadSizes(block_bytes=100))
    assert SECRET[:6] not in str(error.value)


def test_what_a_record_does_not_say_is_not_against_it(tmp_path):
    path = january(tmp_path, OWN | {"PA_UFMUN": ""}, OWN | {"PA_MVM": ""})
    assert len(read(path)) == 2


def test_records_marked_as_deleted_are_not_looked_at(tmp_path):
    data = month_table(OWN, {"PA_UFMUN": "410690"}, more=PLACE)
    start = data.rindex(b" 2000001")
    path = plain(tmp_path / "PARR2301.dbf", data[:start] + b"*" + data[start + 1 :])
    assert len(read(path)) == 1


def test_columns_that_a_file_lacks_are_not_checked(tmp_path):
    data = dbf([("PA_SEXO", 1)], [["F"]])
    assert read(plain(tmp_path / "PARR2301.dbf", data)) == [{"PA_SEXO": "F"}]


def test_columns_that_the_study_asks_for_are_checked_and_given(tmp_path):
    path = january(tmp_path, OWN)
    wanted = ("PA_MVM", "PA_UFMUN")
    assert read(path, attributes=wanted) == [{"PA_MVM": "202301", "PA_UFMUN": "140010"}]


def test_a_year_with_a_month_of_another_state_leaves_no_table(tmp_path):
    files = year_of_files()
    other = {"PA_MVM": "202303", "PA_UFMUN": "120040"}
    files["PARR2303.dbc"] = packed(month_table(other, more=PLACE))
    folder = written(tmp_path / "RR", files)
    out = tmp_path / "out"
    words = r"^RR: PARR2303\.dbc has records of AC \(in PA_UFMUN\), RR expected"
    with pytest.raises(ArchiveError, match=words):
        ingest(
            ReadRelease(folder, ("PA_SEXO",)),
            source_definition("datasus_sia_pa", "RR-2023", {}),
            out / "table.parquet",
            out / "receipt.json",
        )
    assert list(out.rglob("*")) == []


def test_every_state_has_a_code_of_its_own():
    assert len(STATES) == len(set(STATES.values())) == 27
    assert {len(code) for code in STATES.values()} == {2}


def test_the_sample_of_acre_is_of_its_state_and_month(tmp_path):
    if not SAMPLE.exists():
        pytest.skip("the sample of Acre is not here")
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    widths = [max(1, *map(len, column)) for column in zip(*rows, strict=True)]
    data = dbf(list(zip(names, widths, strict=True)), rows)
    assert len(read(plain(tmp_path / "PAAC1606.dbf", data), "AC-2016")) == 100
    with pytest.raises(ArchiveError, match=r"records of 201606 .* 201605 expected"):
        read(plain(tmp_path / "PAAC1605.dbf", data), "AC-2016")
    with pytest.raises(ArchiveError, match=r"records of AC .* RR expected"):
        read(plain(tmp_path / "PARR1606.dbf", data), "RR-2016")
