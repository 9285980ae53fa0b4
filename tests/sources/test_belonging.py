"""Files of a release of months: what is wrong with them or with their records."""

import csv

import pytest

from microleak.base.errors import ArchiveError
from microleak.base.paths import ROOT
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.archive import members
from microleak.sources.files.months import check_files
from microleak.sources.formats.dbc import unpacked
from microleak.sources.formats.reader import ReadSizes, chunks
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.sources.dbc_files import dbf, month_table, packed, written, year_of_files
from tests.sources.released import SECRET, census, plain, zipped

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


def refused(path, words, release="RR-2023"):
    definition = source_definition("datasus_sia_pa", release, {})
    with pytest.raises(ArchiveError, match=words) as error:
        check_files(path, definition, ["PA_SEXO"])
    said = str(error.value)
    assert "\n" not in said
    assert "(?P<" not in said
    assert said.startswith(f"{path.name}")


def test_a_year_of_good_files_is_whole(tmp_path):
    definition = source_definition("datasus_sia_pa", "RR-2023", {})
    folder = written(tmp_path / "RR", year_of_files())
    assert check_files(folder, definition, ["PA_SEXO"]) is None


def test_another_release_there_is_named(tmp_path):
    folder = written(tmp_path / "data", year_of_files("AC"))
    refused(
        folder,
        r"^data has no files PAPR2301 to PAPR2312; it has files of AC-2023: is the "
        r"release AC-2023\? Rename it under releases",
        "PR-2023",
    )


def test_of_many_other_releases_the_first_are_named(tmp_path):
    states = ["TO", "AC", "AL", "AM", "AP", "BA", "XX"]
    names = [f"PA{state}2301.dbc" for state in states]
    folder = written(tmp_path / "data", dict.fromkeys(names, b""))
    words = "files of AC-2023, AL-2023, AM-2023, AP-2023, BA-2023 and 1 more: is it one"
    refused(folder, words)


@pytest.mark.parametrize("names", [[], ["readme.txt"], ["PAXX2301.dbc"]])
def test_where_nothing_is_of_any_release_the_names_expected_are_said(tmp_path, names):
    folder = written(tmp_path / "data", dict.fromkeys(names, b"x"))
    refused(
        folder, r"^data has no files PARR2301 to PARR2312 \(\.dbc or \.dbf\)\. Corr"
    )


def test_files_of_another_release_in_a_zip_are_named_too(tmp_path):
    archive = zipped(tmp_path / "data.zip", {"Dados/PAAC2201.dbc": b"x"})
    refused(archive, "data.zip has no files .* it has files of AC-2022: is the release")


def test_one_file_is_no_year(tmp_path):
    folder = written(tmp_path, {"PARR2301.dbf": month_table({})})
    words = "^PARR2301.dbf is one file; RR-2023 is made of .* Set archive .* the folder"
    refused(folder / "PARR2301.dbf", words)


BAD = {
    "PARR2301.dbc": (b"", "PARR2301.dbc is empty"),
    "PARR2302.dbc": (b"<html>", "PARR2302.dbc is a web page, not a released file"),
    "PARR2303.dbc": (month_table({}), "PARR2303.dbc is an unpacked table with the end"),
    "PARR2304.dbc": (packed(month_table({}))[:99], "PARR2304.dbc is damaged or cut sh"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_file_is_refused_with_what_to_do(tmp_path, name):
    data, words = BAD[name]
    folder = written(tmp_path / "RR", year_of_files() | {name: data})
    refused(folder, rf"^RR: {words}.*\. (Fetch it again|Rename it to end in \.dbf)\.$")


def test_a_plain_file_shorter_than_its_header_says_is_seen_unread(tmp_path):
    files = year_of_files() | {"PARR2305.dbf": month_table({}, {})[:-9]}
    del files["PARR2305.dbc"]
    words = r"^RR: PARR2305.dbf has \d+ bytes, \d+ expected .* 2 records .* it was cut"
    refused(written(tmp_path / "RR", files), words)


def test_all_bad_files_are_told_in_one_line_and_those_beyond_three_counted(tmp_path):
    files = year_of_files() | {name: data for name, (data, _) in BAD.items()}
    del files["PARR2307.dbc"], files["PARR2309.dbc"]
    words = (
        r"^RR: 5 faults in its files: RR-2023 has no file of month 07, 09; "
        r"PARR2301.dbc is empty; PARR2302.dbc is a web page, not a released file; "
        r"2 more\. Fetch th"
    )
    refused(written(tmp_path / "RR", files), words)


def test_a_release_that_is_not_of_months_is_not_looked_at(tmp_path):
    assert check_files(tmp_path / "none", census(), []) is None
