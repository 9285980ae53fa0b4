"""Files of other formats: known by their bytes, alone or in an archive, in one line."""

import gzip
import io
import json
import lzma
import pickle
import re
import sqlite3
import tarfile
from contextlib import closing

import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet
import pytest

from microleak.base.errors import ArchiveError, MicroleakError
from microleak.cli import main
from microleak.sources.files.archive import members
from microleak.sources.files.foreign import HEAD_BYTES, foreign_format
from microleak.sources.files.header import header
from tests.sources.dbc_files import dbf, packed
from tests.sources.released import delimited, plain, zipped

CSV = b"sex,town\nf,A\nm,B\nf,B\n"


def made(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def database(folder):
    with sqlite3.connect(folder / "made") as connection:
        connection.execute("create table people (sex text)")
    return (folder / "made").read_bytes()


def tarred(file):
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("people.csv")
        entry.size = len(CSV)
        archive.addfile(entry, io.BytesIO(CSV))


ROWS = [["f", "A"], ["m", "B"]]
TWO = [("SEX", 1), ("TOWN", 4)]
FORMATS = {
    "SQL": (b"CREATE TABLE p (a int);\n", "another kind"),
    "SQL rows": (b"insert into p values (1, 'F');\n", "another kind"),
    "SQL dump": (
        b"--\n-- PostgreSQL\n--\n\nSET a = 0;\ncreate table p (",
        "another kind",
    ),
    "MySQL": (
        b"-- MySQL\n/*!4 SET x */;\nDROP TABLE p;\nCREATE TABLE p (",
        "another kind",
    ),
    "R, unpacked": (b"X\n\0\0\0\x02\0\x03\x06\0" + bytes(90), "another kind"),
    "R, several": (b"RDX3\nX\n\0\0\0\x03" + bytes(90), "another kind"),
    "R, packed by gzip": (gzip.compress(b"RDX3\nX\n" + bytes(90)), "another kind"),
    "pickle": (pickle.dumps([1]), "another kind"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(90), "another kind"),
    "DuckDB": (bytes(8) + b"DUCK\x40\0\0\0" + bytes(90), "another kind"),
    "Access": (b"\0\x01\0\0Standard Jet DB\0" + bytes(90), "another kind"),
    "dBase": (dbf(TWO, ROWS), "source: datasus_sia_pa"),
    "packed dBase": (packed(dbf(TWO, ROWS)), "table of dBase .* packs it"),
    "FoxPro": (dbf(TWO, ROWS, version=0x30), "table of dBase"),
    "lzma": (lzma.compress(CSV, lzma.FORMAT_ALONE), "is packed twice, or in a way"),
    "LZ4": (pa.compress(CSV, "lz4", asbytes=True), "is packed twice, or in a way"),
    "compress": (b"\x1f\x9d\x90" + bytes(9), "is packed twice, or in a way"),
    "7-Zip": (b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(90), "is packed twice, or in a way"),
    "RAR": (b"Rar!\x1a\x07\x01\0" + bytes(90), "is packed twice, or in a way"),
    "tar": (made(tarred), "is packed twice, or in a way"),
    "tar in gzip": (gzip.compress(made(tarred)), "is packed twice, or in a way"),
    "gzip in gzip": (gzip.compress(gzip.compress(CSV)), "is packed twice, or in a way"),
    "PDF": (b"%PDF-1.7\n1 0 obj\n", "another kind"),
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(9), "another kind"),
    "a web page": (
        b"<!DOCTYPE html>\n<html><body>404</body></html>",
        "is HTML or XML, not",
    ),
    "a web page with more": (b"\xef\xbb\xbf\n<HTML lang='pt'>", "is HTML or XML, not"),
    "XML": (b"<?xml version='1.0'?>\n<data/>\n", "is HTML or XML, not"),
    "JSON": (json.dumps([{"sex": "f"}]).encode(), "another kind"),
    "lines of JSON": (b'{"sex": "f"}\n{"sex": "m"}\n', "another kind"),
    "Git LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "is a pointer",
    ),
    "git-annex": (b"/annex/objects/SHA256E-s9--0.csv\n", "is a pointer"),
    "DVC": (b"outs:\n- md5: 0\n  path: people.csv\n", "is a pointer"),
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
    if "gzip" in kind and name == "people.other":
        words = "is packed twice, or in a way"
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
    assert "another kind" in said


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


@pytest.mark.parametrize("kind", ["packed dBase", "pickle", "7-Zip"])
@pytest.mark.parametrize("command", ["init", "assess"])
@pytest.mark.parametrize(
    ("spoken", "saved"), [("en", "Save |Unpack"), ("pt", "Salve |Descompacte")]
)
def test_commands_name_another_format_in_either_language(
    folder, capsys, kind, command, spoken, saved
):
    plain(folder / "people.csv", FORMATS[kind][0])
    words = ["--lang", spoken, command, "people.csv"]
    assert main([*words, *(["--qids", "sex"] if command == "assess" else [])]) == 1
    said = capsys.readouterr().err
    assert said.startswith("microleak: people.csv ") and said.count("\n") == 1
    assert re.search(saved, said)
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
