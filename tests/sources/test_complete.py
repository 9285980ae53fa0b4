"""Files of a release of months: all that is wrong with them, in one line of words."""

import pytest

from microleak.base.errors import ArchiveError
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.months import check_files
from tests.sources.dbc_files import dbf, month_table, packed, written, year_of_files
from tests.sources.released import census, zipped


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


def test_two_faults_are_both_said(tmp_path):
    files = year_of_files() | {"PARR2311.dbc": b"", "PARR2312.dbc": b"<html>"}
    words = "2 faults in its files: PARR2311.dbc is empty; PARR2312.dbc is a web page, "
    refused(written(tmp_path / "RR", files), words)


def test_a_release_that_is_not_of_months_is_not_looked_at(tmp_path):
    assert check_files(tmp_path / "none", census(), []) is None


def test_a_table_without_a_column_is_left_to_be_named_alone(tmp_path):
    files = year_of_files() | {"PARR2311.dbc": packed(dbf([("A", 1)], [["x"]]))}
    definition = source_definition("datasus_sia_pa", "RR-2023", {})
    folder = written(tmp_path / "RR", files)
    with pytest.raises(Exception, match=r"^RR: PARR2311.dbc has no column PA_SEXO"):
        check_files(folder, definition, ["PA_SEXO"])
