"""What a report shows, in the formats of other programs."""

import csv
import json
import time

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.base.errors import StudyError, VerificationError
from microleak.base.files import sha256_of
from microleak.cli import main
from microleak.exports.export import FORMATS, export
from microleak.exports.tables import spec_of
from microleak.exports.text import is_printed
from microleak.tables.files import read_table
from tests.attacks.collective.public_study import TABLES
from tests.attacks.collective.state_study import tables_of
from tests.exports.exporting import (
    RELEASES,
    folder_of,
    removed_of,
    removed_report,
    seal,
    states_report,
)

WORST = "lines-RR-2023-worst"


@pytest.fixture(scope="module")
def study_dir(tmp_path_factory):
    return states_report(tmp_path_factory.mktemp("results") / "demo")


@pytest.fixture(scope="module")
def exported(study_dir, tmp_path_factory):
    to = tmp_path_factory.mktemp("exports")
    export(study_dir, to, list(FORMATS))
    return to


def read(study_dir, name):
    return read_table(study_dir / f"report/data/{name}.csv", spec_of(name))


def typed(text, column):
    if column.type == "string":
        return text
    return {"integer": int, "number": float}[column.type](text) if text else None


def rows_of_json(path):
    return json.loads(path.read_text(encoding="utf-8"))["data"]


def rows_of_sheet(sheet):
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def every_byte(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_every_table_of_the_report_is_in_every_format_but_that_of_print(exported):
    paths = tables_of(RELEASES).tables.files()
    tables = {path.removeprefix("data/").removesuffix(".csv") for path in paths}
    for name in ("csv", "json", "parquet"):
        found = {path.stem for path in (exported / name).glob(f"*.{name}")}
        assert found - {"datapackage"} == tables
    about = openpyxl.load_workbook(exported / "xlsx/demo.xlsx")["about"]
    assert {row[1].value for row in list(about.rows)[5:]} == tables
    printed = {path.stem for path in (exported / "latex").glob("*.tex")}
    assert printed == {*filter(is_printed, tables)}


@pytest.mark.parametrize("name", [WORST, "states", "explained", "lines-RR-2023-groups"])
def test_json_and_parquet_have_the_rows_of_the_report_exactly(
    study_dir, exported, name
):
    meanings = spec_of(name).by_name
    path = study_dir / f"report/data/{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        expected = [
            {column: typed(text, meanings[column]) for column, text in row.items()}
            for row in csv.DictReader(file)
        ]
    assert rows_of_json(exported / f"json/{name}.json") == expected
    assert pq.read_table(exported / f"parquet/{name}.parquet").to_pylist() == expected


def test_numbers_are_numbers_and_texts_are_texts_in_a_workbook(study_dir, exported):
    book = openpyxl.load_workbook(exported / "xlsx/demo.xlsx")
    for row in rows_of_sheet(book[WORST]):
        assert type(row["n_records"]) is int
        assert type(row["posterior_prob"]) is float
        assert row["focal"] == "RR-2023"
        assert row["sensitive"] in (None, "PA_PROC_ID")
    shown = [row["posterior_prob"] for row in rows_of_sheet(book[WORST])]
    assert shown == pytest.approx(read(study_dir, WORST)["posterior_prob"], rel=1e-15)


def test_every_format_says_for_whom_it_is_and_that_a_twin_made_it(exported):
    for name in FORMATS:
        package = json.loads((exported / name / "datapackage.json").read_text("utf-8"))
        told = package["microleak"]
        assert (told["audience"], told["synthetic"]) == ("internal", True)
        assert package["title"] == "SYNTHETIC / SINTÉTICO demo"
    told = json.loads((exported / f"json/{WORST}.json").read_text("utf-8"))
    assert (told["notice"], told["audience"]) == ("SYNTHETIC / SINTÉTICO", "internal")
    metadata = pq.read_schema(exported / f"parquet/{WORST}.parquet").metadata
    assert (metadata[b"data"], metadata[b"audience"]) == (b"SYNTHETIC", b"internal")
    for path in (exported / "latex").glob("*.tex"):
        text = path.read_text("utf-8")
        assert text.startswith("% SYNTHETIC / SINTÉTICO demo, audience: internal\n")
        assert "demo (SYNTHETIC / SINTÉTICO, internal)" in text
    book = openpyxl.load_workbook(exported / "xlsx/demo.xlsx")
    assert book.sheetnames[:2] == ["about", "columns"]
    top = {row[0].value: row[1].value for row in list(book["about"].rows)[:3]}
    said = {"study": "demo", "audience": "internal", "data": "SYNTHETIC / SINTÉTICO"}
    assert top == said
    assert book.properties.title == "SYNTHETIC / SINTÉTICO demo"
    for sheet in book:
        assert sheet.oddHeader.center.text == "SYNTHETIC / SINTÉTICO demo (internal)"


def test_real_data_are_not_called_synthetic(tmp_path):
    study = removed_report(tmp_path, synthetic=False)
    export(study, tmp_path / "to", list(FORMATS))
    for path, content in every_byte(tmp_path / "to").items():
        if not path.endswith(".xlsx"):
            assert b"SYNTH" not in content, path
    book = openpyxl.load_workbook(tmp_path / "to/xlsx/demo.xlsx")
    assert book["about"]["B3"].value == "released"
    assert book.properties.title == "demo"


def test_files_name_type_unit_and_meaning_of_each_column_and_their_source(
    study_dir, exported
):
    source = study_dir / "report/data/states.csv"
    for name in FORMATS:
        package = json.loads((exported / name / "datapackage.json").read_text("utf-8"))
        (states,) = [r for r in package["resources"] if r["name"] == "states"]
        assert (exported / name / states["path"]).is_file()
        assert states["sources"][0]["path"] == "report/data/states.csv"
        assert states["sources"][0]["sha256"] == sha256_of(source)
        fields = {field["name"]: field for field in states["schema"]["fields"]}
        assert list(fields) == source.read_text().partition("\n")[0].split(",")
        point = fields["qids_entropy"].pop("decimalChar", ".")
        assert point == ("," if name == "csv" else ".")
        assert fields["qids_entropy"] == {
            **{"name": "qids_entropy", "type": "number", "unit": "bit"},
            "description": "Joint entropy of the QIDs, in bits.",
        }
        assert (fields["n_qids"]["type"], fields["n_qids"]["unit"]) == ("integer", "1")
        assert "unit" not in fields["state"]
    field = pq.read_schema(exported / "parquet/states.parquet").field("qids_entropy")
    assert field.type == pa.float64()
    assert field.metadata[b"unit"] == b"bit"
    told = json.loads((exported / "json/states.json").read_text("utf-8"))
    assert told["schema"]["fields"] == list(fields.values())


def test_the_same_report_gives_the_same_bytes_in_any_folder_and_time_zone(
    study_dir, exported, tmp_path, monkeypatch
):
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        export(study_dir, tmp_path / "elsewhere", list(FORMATS))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert every_byte(tmp_path / "elsewhere") == every_byte(exported)


def test_a_csv_has_the_numbers_that_spreadsheets_of_the_first_language_expect(
    tmp_path, languages, words, delimiter, point
):
    study = states_report(tmp_path / "demo")
    report = {"report": {"languages": languages}} if languages else {}
    seal(study, {"content": report})
    line = ["export", str(study), "--format", "csv", "--to", str(tmp_path), *words]
    assert main(line) == 0
    path = tmp_path / f"csv/{WORST}.csv"
    found = pd.read_csv(path, sep=delimiter, decimal=point, encoding="utf-8-sig")
    expected = pd.read_csv(study / f"report/data/{WORST}.csv")
    pd.testing.assert_frame_equal(found, expected)
    assert found["posterior_prob"].dtype == "float64"
    package = json.loads((tmp_path / "csv/datapackage.json").read_text("utf-8"))
    (worst,) = [each for each in package["resources"] if each["title"] == WORST]
    fields = {field["name"]: field for field in worst["schema"]["fields"]}
    assert worst.get("dialect", {}).get("delimiter", ",") == delimiter
    assert fields["posterior_prob"].get("decimalChar", ".") == point
    assert "decimalChar" not in fields["n_records"]


@pytest.mark.parametrize(
    ("formats", "locale", "words"),
    [
        (["csv"], "pt_BR", r"no locale 'pt_BR'. Did you mean 'pt-BR'\? It may be: e"),
        (["xls"], None, r"no format 'xls'. Did you mean 'xlsx'"),
    ],
)
def test_what_there_is_not_is_refused_with_the_nearest(
    study_dir, tmp_path, formats, locale, words
):
    with pytest.raises(StudyError, match=words):
        export(study_dir, tmp_path, formats, locale)


def test_a_public_report_is_exported_as_it_is_published(tmp_path):
    study = folder_of(tmp_path / "demo", TABLES.files(), "public")
    export(study, tmp_path, list(FORMATS))
    columns = ["statistic", "n_noisy", "epsilon"]
    expected = [
        *(("records", 5_003, "1/8"), ("most_frequent", 3_999, "1/8")),
        *(("unique", -3, "1/8"), ("right_guesses", 4_990, "1/8")),
    ]
    found = rows_of_json(tmp_path / "json/pupils-noisy_counts.json")
    assert [tuple(row[c] for c in columns) for row in found] == expected
    table = pq.read_table(tmp_path / "parquet/pupils-noisy_counts.parquet")
    assert [(*row.values(),) for row in table.select(columns).to_pylist()] == expected
    sheet = openpyxl.load_workbook(tmp_path / "xlsx/demo.xlsx")["releases"]
    assert [row["n_records"] for row in rows_of_sheet(sheet)] == [None, None]
    assert "town & 1/2" in (tmp_path / "latex/privacy_losses.tex").read_text()


NOISY = {"data/pupils-noisy_counts.csv": TABLES.of("noisy_counts")["pupils"]}


@pytest.mark.parametrize(
    ("audience", "files"),
    [("internal", NOISY), ("public", {"data/removed.csv": removed_of(["a"])})],
)
def test_a_table_of_another_audience_is_refused(tmp_path, audience, files):
    study = folder_of(tmp_path / "demo", files, audience)
    with pytest.raises(StudyError, match=f"not made for the audience {audience}"):
        export(study, tmp_path, ["json"])


def test_an_earlier_export_is_replaced_as_a_whole(study_dir, tmp_path):
    export(study_dir, tmp_path, ["json"])
    before = every_byte(tmp_path)
    (tmp_path / "json/left-worst.json").write_text("{}")
    export(study_dir, tmp_path, ["json"])
    assert every_byte(tmp_path) == before


@pytest.mark.parametrize("description", ["", "[]", '{"microleak": {"format": "csv"}}'])
def test_a_folder_of_somebody_is_left_as_it_is(study_dir, tmp_path, description):
    (tmp_path / "json").mkdir()
    (tmp_path / "json/datapackage.json").write_text(description)
    with pytest.raises(StudyError, match="json is there and is no earlier export"):
        export(study_dir, tmp_path, ["csv", "json"])
    assert names_in(tmp_path) == ["json"]
    assert (tmp_path / "json/datapackage.json").read_text() == description


def test_nothing_is_exported_into_results_whose_manifest_lists_every_file(study_dir):
    with pytest.raises(StudyError, match=r"is part of .*demo, of which the manifest"):
        export(study_dir, study_dir / "exports", ["json"])
    assert names_in(study_dir) == ["manifest.json", "report"]


def test_damage_is_named_without_the_content_of_a_cell(tmp_path, file, content, said):
    study = removed_report(tmp_path)
    (study / "report/data" / file).write_text(content)
    seal(study)
    with pytest.raises(StudyError, match=said) as raised:
        export(study, tmp_path / "to", ["json"])
    assert "secret" not in str(raised.value)
    assert not (tmp_path / "to/json").exists()


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("report/data/removed.csv", r"removed.csv is missing"),
        ("report/data/metadata.json", r"has no report/data/metadata.json. Run"),
        ("manifest.json", r"has no manifest\.json\. Make it"),
    ],
)
def test_a_file_that_is_gone_is_named(tmp_path, file, words):
    study = removed_report(tmp_path)
    (study / file).unlink()
    with pytest.raises((StudyError, VerificationError), match=words):
        export(study, tmp_path / "to", ["json"])


@pytest.mark.parametrize("file", ["metadata.json", "removed.csv"])
def test_what_was_changed_after_the_manifest_was_made_is_not_exported(tmp_path, file):
    study = removed_report(tmp_path)
    path = study / "report/data" / file
    path.write_text(path.read_text().replace("1", "2").replace("demo", "other"))
    with pytest.raises(VerificationError, match=rf"{file} is not what manifest\.json"):
        export(study, tmp_path / "to", ["json"])
    assert not (tmp_path / "to/json").exists()


def test_the_command_prints_the_folders_it_wrote_beside_the_results_or_elsewhere(
    tmp_path, capsys
):
    study = removed_report(tmp_path)
    line = ["export", str(study), "--format"]
    assert main([*line, "json,csv", "--to", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/json\n{tmp_path}/csv\n"
    assert main([*line, "csv"]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/demo-export/csv\n"
    files = ["datapackage.json", "removed.csv"]
    assert names_in(tmp_path / "demo-export/csv") == files
    assert main([*line, "csv", "--", "more"]) == 1
    assert "takes no words after its options" in capsys.readouterr().err


def test_tables_without_rows_are_left_out(tmp_path):
    tables = {
        "data/removed.csv": removed_of([]),
        "data/ingest.csv": tables_of(RELEASES).tables.files()["data/ingest.csv"],
    }
    export(folder_of(tmp_path / "demo", tables), tmp_path, list(FORMATS))
    assert [path.name for path in (tmp_path / "csv").glob("*.csv")] == ["ingest.csv"]
    sheets = openpyxl.load_workbook(tmp_path / "xlsx/demo.xlsx").sheetnames
    assert "ingest" in sheets and "removed" not in sheets
