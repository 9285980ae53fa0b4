"""Files as people have them: every one gives the records of the CSV of its table."""

import bz2
import datetime as dt
import gzip
import io
import lzma
import sys
import tracemalloc
import zipfile
from contextlib import closing

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest

from microleak.base.errors import ArchiveError, MicroleakError, TableError
from microleak.cli import main
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.archive import files_read, members, released_files
from microleak.sources.files.identity import sealed
from microleak.sources.formats.reader import chunks
from tests.sources.released import plain, zipped

NAMES = ["sexo", "idade", "renda", "cidade", "nascimento"]
ROWS = [
    ["f", 25.0, 1234.5, "São Paulo", dt.date(2000, 1, 31)],
    ["m", None, 0.1, 'Águas, "Belas"', dt.date(1999, 12, 1)],
    [None, 100000000000.0, -3.0, None, None],
    ["f", 7.0, 2.0, "Belém", dt.date(2001, 2, 3)],
]
TEXTS = [
    ["f", "25", "1234.5", "São Paulo", "2000-01-31"],
    ["m", None, "0.1", 'Águas, "Belas"', "1999-12-01"],
    [None, "100000000000", "-3", None, None],
    ["f", "7", "2", "Belém", "2001-02-03"],
]
FRAME = pd.DataFrame(ROWS, columns=NAMES)
CSV = pd.DataFrame(TEXTS, columns=NAMES).to_csv(index=False)
UTF8 = CSV.encode()


def made(write, *given, **how):
    file = io.BytesIO()
    write(*given, file, **how)
    return file.getvalue()


def of_statistics(folder, ending, **how):
    path = folder / f"made.{ending}"
    write = getattr(pyreadstat, {"sav": "write_sav", "dta": "write_dta"}[ending])
    write(FRAME, str(path), **how)
    return path.read_bytes()


def workbook(sheets, hidden=()):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if name in hidden:
            sheet.sheet_state = "hidden"
    return made(book.save)


def spreadsheet_of_libreoffice():
    cells = "".join(
        "<table:table-row>" + "".join(map(ods_cell, row)) + "</table:table-row>"
        for row in [NAMES, *ROWS]
    )
    names = ["office", "table", "text"]
    spaces = " ".join(
        f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in names
    )
    content = (
        f'<office:document-content {spaces} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="P">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"

    def write(file):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("mimetype", kind)
            archive.writestr("content.xml", content)
            archive.writestr("META-INF/manifest.xml", MANIFEST)

    return made(write)


MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:'
    '1.0"><manifest:file-entry manifest:full-path="/"/></manifest:manifest>'
)


def ods_cell(value):
    if value is None:
        return "<table:table-cell/>"
    kind, text = "string", str(value).replace("&", "&amp;")
    told = ""
    if isinstance(value, float):
        kind, told = "float", f' office:value="{value}"'
    elif isinstance(value, dt.date):
        kind, told = "date", f' office:date-value="{value}"'
    return (
        f'<table:table-cell office:value-type="{kind}"{told}><text:p>{text}</text:p>'
        "</table:table-cell>"
    )


TABLE = pa.Table.from_pandas(FRAME, preserve_index=False)
FILES = {
    "csv, utf-8": lambda _: UTF8,
    "csv, utf-8 with a mark": lambda _: b"\xef\xbb\xbf" + UTF8,
    "csv, utf-16": lambda _: CSV.encode("utf-16"),
    "csv, utf-16, big": lambda _: b"\xfe\xff" + CSV.encode("utf-16-be"),
    "csv, utf-16, no mark": lambda _: CSV.encode("utf-16-le"),
    "csv, utf-32": lambda _: CSV.encode("utf-32"),
    "gz": lambda _: gzip.compress(UTF8),
    "bz2": lambda _: bz2.compress(UTF8),
    "xz": lambda _: lzma.compress(UTF8),
    "zst": lambda _: pa.compress(UTF8, "zstd", asbytes=True),
    "utf-16 in gz": lambda _: gzip.compress(CSV.encode("utf-16")),
    "parquet": lambda _: made(pa.parquet.write_table, TABLE),
    "parquet, dictionaries": lambda _: made(
        pa.parquet.write_table,
        TABLE.set_column(0, "sexo", TABLE["sexo"].dictionary_encode()),
    ),
    "parquet in xz": lambda _: lzma.compress(made(pa.parquet.write_table, TABLE)),
    "feather": lambda _: made(pa.feather.write_feather, TABLE),
    "xlsx": lambda _: workbook({"Planilha1": [NAMES, *ROWS]}),
    "xlsx, beside notes": lambda _: workbook(
        {"Leia": [["como foi feito"], ["em 2020"]], "P": [NAMES, *ROWS], "Vazia": []}
    ),
    "xlsx, beside a hidden sheet": lambda _: workbook(
        {"P": [NAMES, *ROWS], "velha": [NAMES, *ROWS]}, hidden=["velha"]
    ),
    "xlsx, empty rows": lambda _: workbook(
        {"P": [[], [None, *NAMES], [], *([None, *row] for row in ROWS), []]}
    ),
    "ods": lambda _: spreadsheet_of_libreoffice(),
    "sav": lambda folder: of_statistics(folder, "sav"),
    "zsav": lambda folder: of_statistics(folder, "sav", compress=True),
    "dta": lambda folder: of_statistics(folder, "dta"),
}
ENDINGS = {
    **{"gz": "csv.gz", "bz2": "csv.bz2", "xz": "csv.xz", "zst": "csv.zst"},
    "parquet in xz": "parquet.xz",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def definition(release="2015", **options):
    return source_definition("delimited", release, options)


def records(path, given=None):
    """Records of an archive's members, and their names."""
    given = given or definition()
    rows = []
    with closing(released_files(path, given)) as found:
        for member in found:
            for table in chunks(member, given, NAMES):
                rows += [[*row.values()] for row in table.to_pylist()]
    return rows


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("place", ["alone", "zip", "folder"])
def test_every_file_gives_the_records_of_its_csv(folder, kind, place):
    ending = ENDINGS.get(kind, kind.partition(",")[0].replace("utf-16 in ", "csv."))
    (folder / "made").mkdir()
    (folder / "in").mkdir()
    name, data = f"people.{ending}", FILES[kind](folder / "made")
    path = folder / "in"
    if place == "zip":
        path = zipped(folder / "a.zip", {f"in/{name}": data, "LEIAME.txt": b"oi\n"})
    else:
        file = plain(folder / "in" / (name if place == "folder" else "people"), data)
        path = file if place == "alone" else path
    assert records(path) == TEXTS


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "csv, utf-16", "sav"])
def test_what_options_say_of_a_csv_holds_of_no_other_file(folder, kind):
    given = definition(encoding="latin-1", missing=["NA"], delimiter=";")
    data = FILES[kind](folder)
    if kind == "csv, utf-16":
        data, given = CSV.encode("utf-16"), definition(encoding="latin-1")
    assert records(plain(folder / "people", data), given) == TEXTS


def test_a_csv_is_read_and_not_the_dictionary_beside_it(folder):
    beside = workbook({"P": [["nome", "o que é"], ["sexo", "f ou m"]]})
    path = zipped(folder / "a.zip", {"people.csv": UTF8, "dicionario.xlsx": beside})
    assert records(path) == TEXTS
    (folder / "in").mkdir()
    for name, data in (("people.csv", UTF8), ("dicionario.xlsx", beside)):
        plain(folder / "in" / name, data)
    assert records(folder / "in") == TEXTS
    read = files_read(folder / "in", definition().members)
    assert [file.name for file in read] == ["people.csv"]
    (folder / "in/people.csv").unlink()
    read = files_read(folder / "in", definition().members)
    assert [file.name for file in read] == ["dicionario.xlsx"]


LABELLED = pd.DataFrame({"a": [1.0, 2, 9, None], "b": ["1", "2", "1", ""]})
LABELS = {"a": {1: "masc.", 2: "fem.", 8: "outro", 9: "outro"}, "b": {"1": "2"}}


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_values_have_their_names_and_equal_names_their_codes(folder, ending):
    labels = LABELS if ending == "sav" else {"a": LABELS["a"]}
    write = pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta
    write(LABELLED, str(folder / "f"), variable_value_labels=labels)
    (member,) = members(folder / "f", "")
    with member.open() as text:
        lines = text.read().decode().replace('"', "").splitlines()
    one = "2 (1)" if ending == "sav" else "1"
    assert lines == ["a,b", f"masc.,{one}", "fem.,2", f"outro (9),{one}", ","]


def test_values_that_spss_calls_missing_are_missing(folder):
    path = str(folder / "f.sav")
    pyreadstat.write_sav(LABELLED[["a"]], path, missing_ranges={"a": [9]})
    (member,) = members(folder / "f.sav", "")
    with member.open() as text:
        assert text.read() == b'"a"\n"1"\n"2"\n\n\n'


CELLS = [
    (3.0, "3"),
    (0.1 + 0.2, "0.3"),
    (1e15, "1000000000000000"),
    ("3.0", "3.0"),
    ("025", "025"),
    (dt.datetime(2020, 1, 31, 12, 30), "2020-01-31 12:30:00"),
    (dt.date(2020, 1, 31), "2020-01-31"),
    (dt.time(12, 30), "12:30:00"),
    (True, "true"),
    ("NA", "NA"),
    (None, ""),
]


def test_cells_are_read_as_people_see_them(folder):
    rows = [["n", "valor"], *([i, cell] for i, (cell, _) in enumerate(CELLS))]
    path = plain(folder / "a.xlsx", workbook({"P": rows}))
    (member,) = members(path, "")
    with member.open() as text:
        lines = text.read().decode().splitlines()
    assert [line.partition(",")[2].strip('"') for line in lines[1:]] == [
        text for _, text in CELLS
    ]


SHEETS = {
    "2014": [NAMES, *ROWS[:2]],
    "2015": [NAMES, *ROWS],
    "dic": [["a", "b"], [1, 2]],
}


def test_of_several_sheets_the_one_named_or_like_the_release_is_read(folder):
    path = plain(folder / "a.xlsx", workbook(SHEETS))
    assert records(path) == TEXTS
    assert records(path, definition(sheet="2014")) == TEXTS[:2]
    with pytest.raises(TableError, match="has tables in the sheets '2014', "):
        records(path, definition("2016"))
    with pytest.raises(TableError, match="Name one in sheet under options in the "):
        records(path, definition(sheet="2013"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "has tables in the sheets '2014', '2015', 'dic'. Name one in --sheet."),
        (["--lang", "pt"], "tem tabelas nas abas '2014', '2015', 'dic'. Indique uma"),
    ],
)
def test_a_command_asks_for_the_sheet(folder, capsys, words, said):
    plain(folder / "a.xlsx", workbook(SHEETS))
    assert main([*words, "init", "a.xlsx"]) == 1
    assert said in capsys.readouterr().err
    assert main(["assess", "a.xlsx", "--sheet", "2015", "--qids", "sexo"]) == 0


def test_a_workbook_without_a_table_is_refused(folder):
    path = plain(folder / "a.xlsx", workbook({"P": [["só um título"]]}))
    with pytest.raises(TableError, match="has no sheet with a header and a record"):
        records(path)


@pytest.mark.parametrize("kind", ["xlsx", "sav", "dta"])
def test_the_extra_that_is_not_installed_is_named(folder, capsys, monkeypatch, kind):
    plain(folder / "people", FILES[kind](folder))
    for name in ("python_calamine", "pyreadstat"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["assess", "people", "--qids", "sexo"]) == 1
    assert capsys.readouterr().err == (
        "microleak: To read people, install more: pip install 'microleak[files]'. Or "
        "save its table as CSV.\n"
    )


@pytest.mark.parametrize("kind", sorted({*FILES} - {"csv, utf-8", "csv, utf-16"}))
@pytest.mark.parametrize("n_left", [0.5, 0.9])
def test_a_file_that_was_cut_is_refused_by_its_name(folder, kind, n_left):
    data = FILES[kind](folder)
    path = plain(folder / "people", data[: int(len(data) * n_left)])
    with pytest.raises(MicroleakError, match=r"^people\b"):
        records(path)


def test_lists_in_a_column_are_refused_by_its_name(folder):
    table = TABLE.append_column("lista", pa.array([[1]] * len(TABLE)))
    pa.parquet.write_table(table, folder / "a.parquet")
    with pytest.raises(TableError, match=r"a\.parquet: column lista has lists"):
        records(folder / "a.parquet")


def test_a_workbook_with_a_password_is_called_so(folder, monkeypatch):
    import python_calamine  # noqa: PLC0415

    def refuse(_):
        raise python_calamine.PasswordError("secret")

    monkeypatch.setattr(python_calamine.CalamineWorkbook, "from_filelike", refuse)
    path = plain(folder / "a.xlsx", workbook({"P": [NAMES, *ROWS[:1]]}))
    with pytest.raises(ArchiveError, match=r"^a\.xlsx has a password"):
        records(path)


@pytest.mark.parametrize("kind", ["parquet", "gz", "zst"])
def test_large_files_are_not_loaded_whole(folder, kind):
    n = 1 << 20
    table = pa.table({"a": pa.array(range(n)).cast("string"), "b": ["x" * 30] * n})
    path = folder / "large"
    if kind == "parquet":
        pa.parquet.write_table(table, path, row_group_size=1 << 16)
    else:
        text = made(pa.csv.write_csv, table)
        packed = {
            "gz": gzip.compress,
            "zst": lambda t: pa.compress(t, "zstd", asbytes=True),
        }
        plain(path, packed[kind](text))
    del table
    (member,) = members(path, "")
    tracemalloc.start()
    with member.open() as file:
        n_bytes = sum(len(part) for part in iter(lambda: file.read(1 << 16), b""))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_bytes > 40 * n
    assert peak < n_bytes / 2


def test_the_account_is_of_the_released_file_itself(folder):
    data = FILES["xlsx"](folder)
    (folder / "in").mkdir()
    plain(folder / "in/people.xlsx", data)
    alone = sealed(folder / "in/people.xlsx", definition().members, None)
    of_folder = sealed(folder / "in", definition().members, None)
    assert of_folder.members == {"people.xlsx": alone.sha256}
    assert alone.bytes == of_folder.bytes == len(data)


def test_a_zip_that_holds_a_workbook_is_no_workbook(folder):
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("people.xlsx", workbook({"P": [NAMES, *ROWS]}))
    assert records(folder / "a.zip") == TEXTS
