"""CSV files beside the records: read whole, or refused with the line."""

import hashlib
import random
from pathlib import Path

import pytest

from microleak.attacks.anonymity.section import read_margins
from microleak.attacks.g_leakage.section import read_gains
from microleak.attacks.linkage.section import _read as read_recoding
from microleak.attacks.membership.drawn import read_strata
from microleak.attacks.query_answers.published import AnswerFile, read_answers
from microleak.attacks.risk_groups.section import read_classes
from microleak.attacks.table_rebuilding.section import PublishedTable
from microleak.base.errors import StudyError
from microleak.base.strict_csv import read_csv, read_divided
from microleak.count_tables.published import read_tables
from microleak.records.hierarchy import read_hierarchy
from microleak.sources.definitions.crosswalk import read_crosswalk
from microleak.study_file.rough import read_confusion

WHOLE = "name,number\nStation,15\nCentre,28\n"


def written(folder, data):
    path = folder / "file.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def refused(folder, data, words):
    with pytest.raises(StudyError, match=words) as error:
        read_csv(written(folder, data), "margins: file.csv")
    assert str(error.value).startswith("margins: file.csv: ")
    assert "Station" not in str(error.value)


@pytest.mark.parametrize(
    "data",
    [
        WHOLE,
        WHOLE.replace("\n", "\r\n"),
        WHOLE.replace("\n", "\r"),
        f"\ufeff{WHOLE}",
        f"{WHOLE}\n",
        f"{WHOLE}\r\n\n",
        'name,number\n"Station",15\nCentre,"28"\n',
        '"name","number"\r\n"Station","15"\r\n"Centre","28"\r\n',
    ],
)
def test_a_whole_file_is_read_however_it_was_saved(tmp_path, data):
    found = read_csv(written(tmp_path, data), "x")
    assert found.header == ["name", "number"]
    assert found.lines == [(2, ["Station", "15"]), (3, ["Centre", "28"])]
    assert found.sha256 == hashlib.sha256(data.encode()).hexdigest()


def test_a_cell_is_as_it_stands(tmp_path, cell, value):
    found = read_csv(written(tmp_path, f"name,number,n\n{cell},1,2\nb,2,2\n"), "x")
    assert found.lines[0] == (2, [value, "1", "2"])
    assert found.lines[1][0] == 3 + value.count("\n")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf", "it is empty"),
        (b"\n\n", "it is empty"),
        (WHOLE.encode("utf-16"), "it is UTF-16 text. Save it as UTF-8"),
        (WHOLE.encode("utf-16-be"), "it looks like UTF-16 text. Save it as UTF-8"),
        (WHOLE.encode("utf-32"), "it is UTF-32 text. Save it as UTF-8"),
        ("name,number\nÁgua,1\n".encode("latin-1"), "line 2 is not UTF-8 text. Save"),
        (b"name,number\r\nx,1\r\n\xe2\x82,2\r\n", "line 3 is not UTF-8 text"),
        (WHOLE.replace("5", "\0"), "line 2 has a zero byte, as if .* damaged"),
        (WHOLE.replace("28", "2\x018"), "line 3 has a control character"),
        (WHOLE.replace("28", "2\x7f"), "line 3 has a control character"),
        (WHOLE.replace("28", "2\x85"), "line 3 has a control character"),
        (WHOLE.replace("28", "\ufeff28"), "line 3 has a byte order mark inside"),
        (WHOLE.replace("28", "2\ufffd"), "line 3 has a replacement character"),
        (WHOLE[:-1], r"line 3, .* has no line end, .* \(echo >> FILE does\)"),
        (WHOLE[:-2], "line 3, the last one, has no line end, so the file may"),
        ("name,number\nStation\n", "line 2 has 1 cells, 2 expected"),
        ("name,number\nStation,15,\n", "line 2 has 3 cells, 2 expected"),
        ("name,number\n\nStation,15\n", "line 2 is blank"),
        ('name,number\nSta"tion,15\n', "line 2 has a quotation mark inside a cell"),
        ('name,number\n"Station,15\n', "line 2 has a quotation mark .* not closed"),
        ('name,number\n"Station"x,15\n', "line 2 has a quotation mark inside a cell"),
        ('name,number\n "Station",15\n', "line 2 has a quotation mark inside a cell"),
        ('name,number\n"Station,15\nCentre",28\n', "line 2 has a cell with a line end"),
        (f"{WHOLE}name,number\n", "line 4 is the header again"),
        ("name;number\nStation;15\n", "line 1 has no comma, but a semicolon"),
        ("name\tnumber\nStation\t15\n", "line 1 has no comma, but a tab"),
    ],
)
def test_a_file_that_may_not_be_whole_is_refused_by_its_line(tmp_path, data, words):
    refused(tmp_path, data, words)


def test_cells_of_a_hierarchy_are_divided_as_all_its_lines_allow(tmp_path, text, rows):
    found = read_divided(written(tmp_path, text), "x")
    assert [cells for _, cells in found.rows] == rows


def test_a_hierarchy_that_may_be_read_otherwise_is_refused(tmp_path, text, words):
    with pytest.raises(StudyError, match=words):
        read_divided(written(tmp_path, text), "x")


def tables(path):
    domains, (table,) = read_tables(
        [PublishedTable(file=str(path))], None, {"place": ("Centre", "Station")}, "x"
    )
    places = [domains["place"][code] for (code,) in table.codes.tolist()]
    return set(zip(places, table.low.tolist(), table.high.tolist(), strict=True))


def answers(path):
    domains = {"sex": ("F", "M", "X")}
    _, rows = read_answers([AnswerFile(file=str(path))], None, domains, "x")
    return {(*r.group.items(), r.count, *r.numbers.items()) for r in rows}


def strata(path):
    return set(read_strata(path, ["place"], "x").exact.items())


def gains(path):
    found = read_gains(path, "x")
    return set(found.gains)


def crosswalk(path):
    found = read_crosswalk(path)
    return {(n, *c.codes.items()) for n, c in found.counterparts.items()}


READERS = {
    "margin": (
        "place,sex,count\nStation,M,15\nStation,F,21\nCentre,M,308\n",
        lambda path: {
            pair
            for found in read_margins(str(path), ["place", "sex"], "x")
            for pair in zip(found.values, found.counts, strict=True)
        },
    ),
    "strata": ("place,count\nStation,15\nCentre,308\n", strata),
    "shares": ("place,fraction\nStation,0.15\nCentre,1/20\n", strata),
    "hierarchy": (
        "Station;West;*\nCentre;Town;*\nMill;West;*\n",
        lambda path: set(read_hierarchy(path, "x").items()),
    ),
    "confusion": (
        "known,F,M\nF,0.75,0.25\nM,1/3,2/3\n",
        lambda path: set(read_confusion(path, "x").chances.items()),
    ),
    "gains": ("guess,F,M\nF,15,0\nM,0,0.25\n", gains),
    "classes": (
        "value,class\nStation,West\nCentre,Town\n",
        lambda path: set(read_classes(path, "x").items()),
    ),
    "recoding": (
        "from,to\n1,Female\n2,Male\n",
        lambda path: set(read_recoding(path, "x").common.items()),
    ),
    "table": ("place,count\nStation,15\nCentre,308\n", tables),
    "answers": ("sex,count,mean\nF,15,36.7\nM,21,40.25\n", answers),
    "crosswalk": (
        "attribute,sample_attribute,sample_code,code\nsex,S,1,10\nrace,R,2,20\n",
        crosswalk,
    ),
}


@pytest.mark.parametrize("kind", READERS)
def test_a_file_that_was_cut_anywhere_is_refused_or_has_whole_rows_of_it(
    tmp_path, kind
):
    """Rows that are gone with their line ends leave no trace in a file's bytes."""
    text, read = READERS[kind]
    whole = read(written(tmp_path, text))
    n_refused = 0
    for n in range(len(text)):
        path = written(tmp_path, text[:n])
        if text[:n].endswith("\n"):
            try:
                assert read(path) <= whole
            except StudyError:
                n_refused += 1
            continue
        with pytest.raises(StudyError):
            read(path)
        n_refused += 1
    assert n_refused >= len(text) - text.count("\n")
    assert read(written(tmp_path, text.replace("\n", "\r\n"))) == whole
    assert read(written(tmp_path, f"\ufeff{text}")) == whole


@pytest.mark.parametrize("kind", READERS)
def test_a_file_with_a_damaged_byte_is_refused(tmp_path, kind):
    text, read = READERS[kind]
    draw = random.Random(5)
    for _ in range(100):
        data = bytearray(text.encode())
        at = draw.randrange(len(data))
        data[at] = draw.choice([0, 1, 8, 11, 12, 27, 28, 127, 128, 0xC3, 0xFF])
        with pytest.raises(StudyError):
            read(written(tmp_path, bytes(data)))


@pytest.mark.parametrize("kind", READERS)
def test_a_path_without_a_file_is_refused_in_words(tmp_path, kind):
    if kind != "crosswalk":  # microleak looks for it itself
        with pytest.raises(StudyError, match=r"there is no file .* Correct its path"):
            READERS[kind][1](Path(tmp_path / "none.csv"))
