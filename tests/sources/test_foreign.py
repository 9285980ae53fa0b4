"""Files of other formats: known by their bytes, alone or in an archive, in one line."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import re
import sqlite3
import tarfile
import zipfile
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet
import pytest
from xlsxwriter import Workbook

from microleak.base.errors import ArchiveError, MicroleakError
from microleak.cli import main
from microleak.sources.files.archive import members
from microleak.sources.files.foreign import HEAD_BYTES, foreign_format
from microleak.sources.files.header import header
from tests.sources.dbc_files import dbf, packed
from tests.sources.released import delimited, plain, zipped

CSV = b"sex,town\nf,A\nm,B\nf,B\n"
TABLE = pa.table({"sex": ["f", "m"], "town": ["A", "B"]})
FRAME = pd.DataFrame({"sex": ["f", "m"], "town": ["A", "B"]})


def made(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def arrow_stream(file):
    with pa.ipc.new_stream(file, TABLE.schema) as writer:
        writer.write_table(TABLE)


def database(folder):
    with sqlite3.connect(folder / "made") as connection:
        connection.execute("create table people (sex text)")
    return (folder / "made").read_bytes()


def tarred(file):
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("people.csv")
        entry.size = len(CSV)
        archive.addfile(entry, io.BytesIO(CSV))


def workbook(file):
    with Workbook(file) as book:
        book.add_worksheet().write(0, 0, "sex")


def open_document(file):
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<x/>")


ROWS = [["f", "A"], ["m", "B"]]
TWO = [("SEX", 1), ("TOWN", 4)]
FORMATS = {
    "Parquet": (made(lambda f: pa.parquet.write_table(TABLE, f)), "file of Parquet"),
    "Feather": (made(lambda f: pa.feather.write_feather(TABLE, f)), "file of Arrow"),
    "Arrow stream": (made(arrow_stream), "file of Arrow"),
    "ORC": (made(lambda f: pa.orc.write_table(TABLE, f)), "pandas.read_orc"),
    "ARFF": (b"% made\n@RELATION people\n@DATA\nF\n", "file of Weka"),
    "SQL": (b"CREATE TABLE p (a int);\n", "file of SQL"),
    "SQL rows": (b"insert into p values (1, 'F');\n", "file of SQL"),
    "SQL dump": (b"--\n-- PostgreSQL\n--\n\nSET a = 0;\ncreate table p (", "of SQL"),
    "MySQL": (b"-- MySQL\n/*!4 SET x */;\nDROP TABLE p;\nCREATE TABLE p (", "of SQL"),
    "YAML": (b"---\n- sex: F\n  town: A\n", "file of YAML"),
    "Avro": (b"Obj\x01\x04\x14avro.codec\x08null", "file of Avro"),
    "SPSS": (b"$FL2@(#) SPSS DATA FILE" + b"\x02\0\0\0" * 20, "pandas.read_spss"),
    "SPSS, packed": (b"$FL3@(#) SPSS DATA FILE" + bytes(90), "file of SPSS"),
    "SPSS, portable": (b"ASCII SPSS PORT FILE    " * 5, "file of SPSS"),
    "Stata 114": (made(lambda f: FRAME.to_stata(f, version=114)), "file of Stata"),
    "Stata 118": (made(lambda f: FRAME.to_stata(f, version=118)), "pandas.read_stata"),
    "Stata 105": (b"\x69\x01\x01\0" + bytes(90), "file of Stata"),
    "SAS": (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf" + bytes(90), "file of SAS"),
    "SAS transport": (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", "of SAS"),
    "R, unpacked": (b"X\n\0\0\0\x02\0\x03\x06\0" + bytes(90), "file of R"),
    "R, several": (b"RDX3\nX\n\0\0\0\x03" + bytes(90), "file of R"),
    "R, packed by gzip": (gzip.compress(b"RDX3\nX\n" + bytes(90)), "file of R"),
    "pickle": (pickle.dumps([1]), "file of Python"),
    "NumPy": (made(lambda f: np.save(f, np.arange(3))), "file of NumPy"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(90), "file of HDF5"),
    "DuckDB": (bytes(8) + b"DUCK\x40\0\0\0" + bytes(90), "file of DuckDB"),
    "Access": (b"\0\x01\0\0Standard Jet DB\0" + bytes(90), "file of Access"),
    "dBase": (dbf(TWO, ROWS), "source: datasus_sia_pa"),
    "packed dBase": (packed(dbf(TWO, ROWS)), "table of dBase .* packs it"),
    "FoxPro": (dbf(TWO, ROWS, version=0x30), "table of dBase"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(90), "is a spreadsheet"),
    "xlsx": (made(workbook), "is a spreadsheet"),
    "ods": (made(open_document), "is a spreadsheet"),
    "bzip2": (bz2.compress(CSV), "packed with bzip2"),
    "xz": (lzma.compress(CSV), "packed with xz"),
    "lzma": (lzma.compress(CSV, lzma.FORMAT_ALONE), "packed with xz"),
    "Zstandard": (pa.compress(CSV, "zstd", asbytes=True), "packed with Zstandard"),
    "LZ4": (pa.compress(CSV, "lz4", asbytes=True), "packed with LZ4"),
    "compress": (b"\x1f\x9d\x90" + bytes(9), "packed with compress"),
    "7-Zip": (b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(90), "packed with 7-Zip"),
    "RAR": (b"Rar!\x1a\x07\x01\0" + bytes(90), "packed with RAR"),
    "tar": (made(tarred), "packed with tar"),
    "tar in gzip": (gzip.compress(made(tarred)), "packed with tar"),
    "gzip in gzip": (gzip.compress(gzip.compress(CSV)), "packed with gzip"),
    "PDF": (b"%PDF-1.7\n1 0 obj\n", r"an image \(PDF\)"),
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(9), r"an image \(PNG\)"),
    "a web page": (b"<!DOCTYPE html>\n<html><body>404</body></html>", "is HTML, not"),
    "a web page with more": (b"\xef\xbb\xbf\n<HTML lang='pt'>", "is HTML, not"),
    "XML": (b"<?xml version='1.0'?>\n<data/>\n", "is XML, not"),
    "JSON": (json.dumps([{"sex": "f"}]).encode(), "is JSON, not"),
    "lines of JSON": (b'{"sex": "f"}\n{"sex": "m"}\n', "is JSON, not"),
    "Git LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "pointer of Git LFS, .* git lfs pull",
    ),
    "git-annex": (b"/annex/objects/SHA256E-s9--0.csv\n", "git annex get"),
    "DVC": (b"outs:\n- md5: 0\n  path: people.csv\n", "dvc pull"),
    "UTF-16, little": (CSV.decode().encode("utf-16"), "text in UTF-16"),
    "UTF-16, big": (b"\xfe\xff" + CSV.decode().encode("utf-16-be"), "text in UTF-16"),
    "UTF-16, no mark": (CSV.decode().encode("utf-16-le"), "text in UTF-16"),
    "UTF-16, big, no mark": (CSV.decode().encode("utf-16-be"), "text in UTF-16"),
    "UTF-32": (CSV.decode().encode("utf-32"), "text in UTF-32"),
    "UTF-32, no mark": (CSV.decode().encode("utf-32-le"), "text in UTF-32"),
    "zero bytes": (bytes(90), "is no text"),
    "another format": (b"\x01\x02\x03\0\0" * 9, "is no text"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path):
    with closing(members(path, r".+\.csv")) as found:
        header(next(found), delimited(), ["sex"])


def check_words(said, name, words):
    assert name in said and "\n" not in said and said.isprintable()
    assert re.search(words, said)


@pytest.mark.parametrize("kind", FORMATS)
def test_another_format_is_named_whatever_the_ending_is(folder, kind):
    data, words = FORMATS[kind]
    for name in ("people.csv", "people.dat"):
        with pytest.raises(ArchiveError, match=words) as error:
            read(plain(folder / name, data))
        check_words(str(error.value), name, words)


@pytest.mark.parametrize("kind", sorted({*FORMATS} - {"gzip in gzip"}))
@pytest.mark.parametrize("name", ["people.csv", "people.other"])
def test_another_format_is_named_in_a_zip_as_well(folder, kind, name):
    data, words = FORMATS[kind]
    if "in gzip" in kind or "by gzip" in kind:
        words = "packed with gzip"
    path = zipped(folder / "a.zip", {f"in/{name}": data})
    with pytest.raises(ArchiveError, match=words) as error:
        read(path)
    check_words(str(error.value), f"a.zip: {name}", words)


@pytest.mark.parametrize("kind", ["RAR", "a web page", "7-Zip", "Git LFS", "tar"])
def test_another_format_that_is_called_a_zip_is_named(folder, kind):
    data, words = FORMATS[kind]
    with pytest.raises(ArchiveError, match=words):
        [*members(plain(folder / "a.zip", data), r".+\.csv")]


def test_a_database_is_named(folder):
    said = foreign_format(database(folder)[:HEAD_BYTES], "people.db")
    assert "file of SQLite" in said


@pytest.mark.parametrize(
    "text",
    [
        *(CSV, b"", b"a\n", b"\xef\xbb\xbfa;b\n1;2\n", b"PAR1,PAR2\n1,2\n"),
        *(b"ORC\n1\n", b"Obj;1\n", b"Rar!,b\n1,2\n", b"BZh9,b\n", b"RDX3\n1\n"),
        *(
            b"GIF89a,b\n",
            b"{a},b\n1,2\n",
            b"[a],b\n",
            b"<18,18+\n1,2\n",
            b"0,\n\n1,2\n",
        ),
        *(b"version,b\n1,2\n", "é;ã\n".encode("latin-1"), "ÿþa,b\n".encode()),
        *(b"id\tname\n", b'"a","b"\n', b"CDF,b\n", b"hr,b\n", b"II*,MM\n"),
        *(b"0" * 31 + b",b\n", b"CHECKED" * 60, b"sep=;\r\na;b\r\n"),
    ],
)
def test_a_text_is_of_no_other_format(text):
    assert foreign_format(text, "people.csv") is None


@pytest.mark.parametrize("kind", ["Parquet", "Stata 118", "packed dBase", "SPSS", "xz"])
@pytest.mark.parametrize("command", ["init", "assess"])
@pytest.mark.parametrize(("spoken", "not_csv"), [("en", "not "), ("pt", "não ")])
def test_commands_name_another_format_in_either_language(
    folder, capsys, kind, command, spoken, not_csv
):
    plain(folder / "people.csv", FORMATS[kind][0])
    words = ["--lang", spoken, command, "people.csv"]
    assert main([*words, *(["--qids", "sex"] if command == "assess" else [])]) == 1
    said = capsys.readouterr().err
    assert said.startswith("microleak: people.csv ") and said.count("\n") == 1
    assert not_csv in said
    assert [file.name for file in folder.iterdir()] == ["people.csv"]


EMPTY = {
    "no file": {},
    "a folder": {"in/": b""},
    "folders": {"in/": b"", "in/deeper/": b""},
    "what macOS adds": {"__MACOSX/._people.csv": b"x", "in/.DS_Store": b"x"},
}


@pytest.mark.parametrize("kind", EMPTY)
@pytest.mark.parametrize("command", ["init", "assess"])
def test_an_archive_without_a_file_is_called_empty(folder, capsys, kind, command):
    zipped(folder / "none.zip", EMPTY[kind])
    options = ["--qids", "sex"] if command == "assess" else []
    assert main([command, "none.zip", *options]) == 1
    said = "microleak: none.zip is empty: it holds no file. Correct FILE.\n"
    assert capsys.readouterr().err == said


def test_a_folder_without_a_file_is_called_empty(folder):
    (folder / "in/deeper").mkdir(parents=True)
    with pytest.raises(ArchiveError, match=r"^in is empty: it holds no file"):
        [*members(folder / "in", r".+\.csv")]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.zip", {"people.csv": b""}, "a.zip: people.csv: line 1: a header expected"),
        ("a.zip", b"", "a.zip is empty, or begins as a zip"),
        ("a.csv", b"", "a.csv: line 1: a header expected, but it is empty"),
        ("a.csv", b"\xef\xbb\xbf", "a.csv: line 1: a header expected, but it is empty"),
        ("a.gz", gzip.compress(b"", mtime=0), "a.gz: line 1: a header expected"),
    ],
)
def test_a_file_without_a_byte_is_called_empty(folder, name, data, words):
    path = folder / name
    zipped(path, data) if isinstance(data, dict) else plain(path, data)
    with pytest.raises(MicroleakError, match=f"^{words}"):
        read(path)
