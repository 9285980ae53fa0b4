"""Members that have the records of another one: they would count twice."""

import gzip
import io
import zipfile

import pytest

from microleak.base.errors import ArchiveError
from microleak.cli import main
from microleak.sources.files.archive import members
from tests.sources.dbc_files import month_table, packed
from tests.sources.released import plain, zipped

TEXT = b"sex,town\nf,A\nm,B\nm,C\n"
OTHER = b"sex,town\nf,A\nm,B\nm,D\n"
TEN = b"sex,town\n" + b"".join(b"f,%d\n" % n for n in range(10))
WIDE = b"a,b\n" + b"x" * 197 + b",y\n"
LONG = b"sex,town\n" + b"".join(b"f,%d\n" % n for n in range(400_000))
SAME = "are the same file twice"
PART = "one has all records of the other"


def inner(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def stored(folder, files, form):
    if form == "zip":
        return zipped(folder / "a.zip", files)
    for name, data in files.items():
        (folder / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        plain(folder / "a" / name, data)
    return folder / "a"


COPIES = {
    "under another name": ({"p.csv": TEXT, "p (1).csv": TEXT}, SAME),
    "in another folder": ({"x/p.csv": TEXT, "y/q.csv": TEXT}, SAME),
    "long": ({"p.csv": LONG, "q.csv": LONG}, SAME),
    "not next to it": ({"a.csv": TEXT, "b.csv": OTHER, "c.csv": TEXT}, SAME),
    "with other line ends": (
        {"p.csv": LONG, "q.csv": LONG.replace(b"\n", b"\r\n")},
        SAME,
    ),
    "with line ends of a Mac": (
        {"p.csv": TEXT, "q.csv": TEXT.replace(b"\n", b"\r")},
        SAME,
    ),
    "with a byte order mark": ({"p.csv": TEXT, "q.csv": b"\xef\xbb\xbf" + TEXT}, SAME),
    "without a last line end": ({"p.csv": TEXT, "q.csv": TEXT[:-1]}, SAME),
    "in a zip": ({"p.csv": TEXT, "q.zip": inner({"r.csv": TEXT})}, SAME),
    "in two zips": (
        {"p.zip": inner({"p.csv": LONG}), "q.zip": inner({"q.csv": LONG})},
        SAME,
    ),
    "in a zip before it": ({"a.zip": inner({"r.csv": TEXT}), "p.csv": TEXT}, SAME),
    "cut at a line": ({"p.csv": TEN + b"m,C\n", "q.csv": TEN}, PART),
    "cut far on": ({"p.csv": LONG, "q.csv": LONG[: 3 << 20]}, PART),
    "of three records": (
        {"p.csv": b"a\n1\n2\n2\n", "q.csv": b"a\r\n1\r\n2\r\n2"},
        SAME,
    ),
    "longer": ({"p.csv": TEN, "q.csv": TEN + b"f,E\n"}, PART),
    "of a long record": ({"p.csv": WIDE, "q.csv": WIDE + b"f,E\n"}, PART),
}


@pytest.mark.parametrize("kind", COPIES)
@pytest.mark.parametrize("form", ["zip", "folder"])
def test_a_copy_is_refused_and_both_are_named(tmp_path, kind, form):
    files, said = COPIES[kind]
    path = stored(tmp_path, files, form)
    with pytest.raises(ArchiveError, match=said) as error:
        [*members(path, r".+\.csv")]
    told = str(error.value)
    advice = "Keep the longer one" if said == PART else "Remove "
    assert told.startswith(f"{path.name}: ") and advice in told
    assert sum(f" {name}.csv" in told for name in ("p", "p (1)", *"qrac")) == 2


def test_a_packed_copy_in_a_folder_is_refused(tmp_path):
    files = {"p.csv": TEXT, "q.csv.gz": gzip.compress(TEXT)}
    with pytest.raises(ArchiveError, match=SAME):
        [*members(stored(tmp_path, files, "folder"), r".+\.csv")]


def test_a_copy_of_a_packed_table_is_refused(tmp_path):
    month = packed(month_table({}, {"PA_SEXO": "M"}))
    path = zipped(tmp_path / "a.zip", {"PARR2301.dbc": month, "PARR2302.dbc": month})
    with pytest.raises(ArchiveError, match=SAME):
        [*members(path, r".+\.dbc")]


DIFFERENT = {
    "the last byte": {"p.csv": TEXT, "q.csv": OTHER},
    "a byte far on": {"p.csv": LONG, "q.csv": LONG[:-2] + b"x\n"},
    "the header alone": {"p.csv": TEXT, "q.csv": b"sex,town\n"},
    "one record": {"p.csv": TEXT, "q.csv": b"sex,town\nf,A\n"},
    "classes of two pupils": {
        "p.csv": b"a,b\nF,20\nM,30\n",
        "q.csv": b"a,b\nF,20\nM,30\n",
    },
    "classes of two and three": {"p.csv": TEXT[:-4], "q.csv": TEXT},
    "classes that begin alike": {"p.csv": TEN[:-4], "q.csv": TEN},
    "a wide header": {
        "p.csv": b"a" * 300 + b"\n1\n",
        "q.csv": b"a" * 300 + b"\n1\n2\n",
    },
    "another order": {"p.csv": TEXT, "q.csv": b"sex,town\nm,B\nf,A\nm,C\n"},
    "a longer value": {"p.csv": TEXT, "q.csv": TEXT[:-1] + b"C\nf,E\n"},
    "headers alone": {"p.csv": b"sex,town\n", "q.csv": b"sex,town\n"},
    "headers without an end": {"p.csv": b"sex,town", "q.csv": b"sex,town"},
    "empty files": {"p.csv": b"", "q.csv": b""},
    "what is no member": {"p.csv": TEXT, "q.txt": TEXT},
    "what macOS adds": {"p.csv": TEXT, "__MACOSX/._p.csv": TEXT},
    "what is packed beside it": {"p.csv": TEXT, "p.rar": b"Rar!"},
}


@pytest.mark.parametrize("kind", DIFFERENT)
@pytest.mark.parametrize("form", ["zip", "folder"])
def test_what_is_no_copy_is_read(tmp_path, kind, form):
    files = DIFFERENT[kind]
    path = stored(tmp_path, files, form)
    read = {}
    for member in members(path, r".+\.csv"):
        with member.open() as raw:
            read[member.name] = raw.read()
    assert set(read.values()) <= set(files.values())
    assert len(read) == sum(n.endswith(".csv") and "._" not in n for n in files)


@pytest.mark.parametrize("command", ["init", "assess"])
@pytest.mark.parametrize("kind", ["under another name", "in two zips", "cut far on"])
def test_commands_refuse_a_copy(tmp_path, monkeypatch, capsys, command, kind):
    monkeypatch.chdir(tmp_path)
    zipped(tmp_path / "a.zip", COPIES[kind][0])
    options = ["--qids", "sex"] if command == "assess" else []
    assert main([command, "a.zip", *options]) == 1
    assert COPIES[kind][1] in capsys.readouterr().err
