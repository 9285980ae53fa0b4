"""What is read of an archive, which is the same from the first byte to the last."""

import errno
import hashlib
import json
import os
import threading
import traceback

import pyarrow.parquet as pq
import pytest

from microleak.base.errors import ArchiveError, MicroleakError, StudyError, TableError
from microleak.sources.files import identity as seal
from microleak.sources.files.identity import Seal, sealed, unchanged
from microleak.sources.formats.reader import ReadSizes
from microleak.sources.steps import ingest as module
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.sources.released import SECRET, census, census_text, delimited, plain, zipped
from tests.watched import steps_watched

GOOD = {"TP_SEXO": "2", "NU_DIA": "09"}


@pytest.fixture
def out(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return tmp_path / "out"


def release(archive, *attributes, **settings):
    return ReadRelease(archive, attributes, **settings)


def ingested(out, wanted, definition, sizes=None):
    paths = out / "table.parquet", out / "receipt.json"
    ingest(wanted, definition, *paths, *([sizes] if sizes else []))
    table = pq.read_table(paths[0])
    return table, json.loads(paths[1].read_text("utf-8"))


def refused(kind, words, out, wanted, definition=None):
    """Assert an error's kind and words, and that nothing else is left of the run."""
    with pytest.raises(kind, match=words) as error:
        ingested(out, wanted, definition or census())
    shown = "".join(traceback.format_exception(error.value))
    assert SECRET not in shown
    left = list(out.rglob("*")) if out.exists() else []
    assert left == []
    assert list((out.parent / "temporary").iterdir()) == []


def census_zip(tmp_path, **members):
    named = {f"DADOS/MATRICULA_{name}.CSV": data for name, data in members.items()}
    return zipped(tmp_path / "in.zip", named)


def test_a_table_has_identifiers_first_and_attributes_in_their_order(tmp_path, out):
    archive = census_zip(tmp_path, CO=census_text(GOOD))
    wanted = release(archive, "TP_SEXO", "NU_DIA", "ID_MATRICULA")
    table, receipt = ingested(out, wanted, census())
    assert table.to_pylist() == [
        {"ID_ALUNO": "0" * 32, "ID_MATRICULA": "1", "NU_DIA": "09", "TP_SEXO": "2"}
    ]
    assert receipt["attributes"] == ["NU_DIA", "TP_SEXO"]


def test_attributes_of_delimited_text_keep_the_order_given(tmp_path, out):
    archive = plain(tmp_path / "in.csv", b"a,id,b,c\n1,2,3,4\n")
    wanted = release(archive, "b", "a")
    table, _ = ingested(out, wanted, delimited(person_id="id", record_id="id"))
    assert table.to_pylist() == [{"id": "2", "b": "3", "a": "1"}]


def test_the_receipt_says_what_was_read_refused_and_kept(tmp_path, out):
    bad = {"TP_SEXO": "9", "NU_DIA": "32"}
    co, sul = census_text(GOOD, bad), census_text({"NU_DIA": "x"}, GOOD, GOOD)
    archive = census_zip(tmp_path, SUL=sul, CO=co)
    wanted = release(archive, "TP_SEXO", "NU_DIA", n_rows=5, max_refused=2)
    table, receipt = ingested(out, wanted, census())
    assert table.num_rows == 3
    assert receipt.pop("sha256") and receipt.pop("bytes") == archive.stat().st_size
    assert {*receipt.pop("unused")} == {*co.decode().splitlines()[0].split("|")} - {
        *("NU_DIA", "TP_SEXO", "ID_ALUNO", "ID_MATRICULA")
    }
    assert receipt == {
        "archive": "in.zip",
        "attributes": ["NU_DIA", "TP_SEXO"],
        "members": [
            {"name": "MATRICULA_CO.CSV", "n_rows": 2, "n_kept": 1, "removed": []},
            {"name": "MATRICULA_SUL.CSV", "n_rows": 3, "n_kept": 2, "removed": []},
        ],
        "n_months": None,
        "n_read": 5,
        "n_refused": 2,
        "refused": {"NU_DIA": 2, "TP_SEXO": 1},
        "n_kept": 3,
        "person_id": "ID_ALUNO",
        "record_id": "ID_MATRICULA",
        "verified": False,
    }


def test_records_keep_the_order_of_members_and_lines(tmp_path, out):
    sul = census_text({"ID_MATRICULA": "3"}, {"ID_MATRICULA": "1"})
    archive = census_zip(tmp_path, SUL=sul, CO=census_text({"ID_MATRICULA": "2"}))
    table, _ = ingested(out, release(archive), census(), ReadSizes(4096, 1))
    assert table.column("ID_MATRICULA").to_pylist() == ["2", "3", "1"]


@pytest.mark.parametrize("sizes", [None, ReadSizes(block_bytes=1000, chunk_records=7)])
def test_progress_comes_to_the_bytes_of_all_members(tmp_path, out, sizes):
    first, second = census_text(*[GOOD] * 50), census_text(GOOD)
    archive = census_zip(tmp_path, CO=first, SUL=second)
    with steps_watched() as steps:
        ingested(out, release(archive, "TP_SEXO"), census(), sizes)
    ((step, total, advances),) = steps
    assert (step, total) == ("reading", len(first) + len(second))
    assert sum(advances) == total


@pytest.mark.parametrize("n_chunks", [2, 4], ids=["in the middle", "at the last"])
def test_a_chunk_that_cannot_be_written_ends_all_and_leaves_nothing(
    tmp_path, out, monkeypatch, n_chunks
):
    written, write_table = [], pq.ParquetWriter.write_table

    def full(writer, table, *args):
        written.append(threading.current_thread())
        if len(written) == n_chunks:
            raise OSError(errno.ENOSPC, "the disk is full")
        write_table(writer, table, *args)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    archive = census_zip(tmp_path, CO=census_text(*[GOOD] * 8))
    with pytest.raises(OSError, match="the disk is full"):
        ingested(out, release(archive, "TP_SEXO"), census(), ReadSizes(600, 2))
    assert len(written) == n_chunks
    assert not any(thread.is_alive() for thread in written)
    assert list(out.rglob("*")) == []


def test_the_same_release_gives_the_same_bytes_anywhere(tmp_path, out):
    archive = census_zip(tmp_path, CO=census_text(*[GOOD] * 5))
    wanted = release(archive, "TP_SEXO")
    written = []
    for folder, n_block in ((out, 600), (tmp_path / "elsewhere", 4096)):
        ingested(folder, wanted, census(), ReadSizes(n_block, chunk_records=2))
        written.append([path.read_bytes() for path in sorted(folder.iterdir())])
    assert written[0] == written[1]


def test_the_receipt_shows_names_as_messages_do(tmp_path, out):
    archive = zipped(tmp_path / "in.zip", {"\x1b[31m.csv": b"a\n1\n"})
    _, receipt = ingested(out, release(archive, "a"), delimited())
    assert receipt["members"] == [
        {"name": r"\x1b[31m.csv", "n_rows": 1, "n_kept": 1, "removed": []}
    ]


def test_an_unknown_attribute_is_refused_with_the_nearest(tmp_path, out):
    wanted = release(census_zip(tmp_path, CO=census_text(GOOD)), "TP_SEX0")
    words = r"no attribute TP_SEX0\. Did you mean TP_SEXO\?.*config/names/inep_school"
    refused(StudyError, words, out, wanted)


def test_an_attribute_that_was_not_released_that_year_is_refused(tmp_path, out):
    wanted = release(census_zip(tmp_path, CO=census_text(GOOD)), "NU_DIA")
    words = "inep_school_census 2019 does not have NU_DIA: it was not released"
    refused(StudyError, words, out, wanted, census("2019"))


def test_another_number_of_records_is_refused(tmp_path, out):
    wanted = release(census_zip(tmp_path, CO=census_text(GOOD)), n_rows=2)
    refused(TableError, r"in\.zip has 1 records, 2 expected.*n_rows", out, wanted)


def test_a_value_outside_its_domain_is_refused_with_its_line(tmp_path, out):
    co = census_text(GOOD, GOOD, {"TP_SEXO": SECRET}, {"NU_DIA": SECRET})
    wanted = release(census_zip(tmp_path, CO=co), "TP_SEXO", "NU_DIA")
    words = (
        r"^in\.zip: MATRICULA_CO\.CSV: line 4: TP_SEXO must be 1 or 2\. .*"
        "than the 0 that max_refused allows"
    )
    refused(TableError, words, out, wanted)


def test_one_more_refused_than_allowed_names_the_first(tmp_path, out):
    co, sul = census_text(GOOD, {"TP_SEXO": SECRET}), census_text({"TP_SEXO": SECRET})
    wanted = release(census_zip(tmp_path, CO=co, SUL=sul), "TP_SEXO", max_refused=1)
    words = r"MATRICULA_CO\.CSV: line 3: TP_SEXO .*than the 1 that max_refused"
    refused(TableError, words, out, wanted)


def test_the_line_of_a_refused_value_counts_line_ends_inside_values(tmp_path, out):
    text = f'a,b\n"1\n1",1\n"2\n2",{SECRET}\n'
    archive = plain(tmp_path / "in.csv", text.encode())
    definition = delimited(domains={"b": "[0-9]"})
    words = r"^in\.csv: line 4: b must be a value matching \[0-9\]"
    refused(TableError, words, out, release(archive, "a", "b"), definition)


def test_a_release_of_which_nothing_is_kept_is_refused(tmp_path, out):
    co = census_text({"TP_SEXO": SECRET}, {"TP_SEXO": "9"})
    wanted = release(census_zip(tmp_path, CO=co), "TP_SEXO", max_refused=2)
    words = (
        r"in\.zip: MATRICULA_CO\.CSV: line 2: TP_SEXO must be 1 or 2\. All 2 records "
        "are refused.*domain"
    )
    refused(TableError, words, out, wanted)


def test_a_column_that_nobody_named_changes_nothing_but_the_hash(tmp_path, out):
    tables, receipts = [], []
    for extra in ("TX_EXTRA", "TX_EXTRA|TX_NEW"):
        data = census_text(GOOD, GOOD, extra=extra)
        data = data.replace(b"|x\n", b"|x|y\n") if "NEW" in extra else data
        archive = census_zip(tmp_path, CO=data)
        table, receipt = ingested(out, release(archive, "TP_SEXO"), census())
        tables.append(((out / "table.parquet").read_bytes(), table.num_rows))
        receipts.append({**receipt, "sha256": "", "bytes": 0, "unused": []})
    assert tables[0] == tables[1]
    assert receipts[0] == receipts[1]


@pytest.mark.parametrize("identifier", ["ID_ALUNO", "ID_MATRICULA"])
def test_a_record_without_an_identifier_is_refused(tmp_path, out, identifier):
    archive = census_zip(tmp_path, CO=census_text({identifier: ""}))
    words = f"line 2: {identifier} must be .*, never missing"
    refused(TableError, words, out, release(archive))


FAULTS = {
    "": "line 1: a header expected, but it is empty",
    "a,c\n1,2\n": "line 1 has no column b",
    f"a,b\n1,2\n{SECRET},2,3\n": "line 3 has 3 values, 2 expected",
    f"a,b\n{SECRET},\0\n": "line 2 has a zero byte",
    "<html>\n<body>": "is HTML or XML, not a table",
}
"""One of each stage at which a text is refused; `test_damage` has all faults."""


@pytest.mark.parametrize(("text", "words"), FAULTS.items(), ids=FAULTS.values())
def test_a_fault_of_a_text_leaves_nothing_but_its_words(tmp_path, out, text, words):
    data = text.encode(errors="surrogateescape")
    archive = plain(tmp_path / "in.csv", data)
    refused(
        MicroleakError, rf"^in\.csv:? .*{words}", out, release(archive, "a", "b"),
        delimited(),
    )  # fmt: skip


def test_a_fault_in_the_last_member_leaves_nothing_of_the_others(tmp_path, out):
    sul = census_text({"ID_TURMA": SECRET})[:-9]
    archive = census_zip(tmp_path, CO=census_text(GOOD), SUL=sul)
    words = r"^in\.zip: MATRICULA_SUL\.CSV: line 2 has 1[0-9] values, 22 expected"
    refused(TableError, words, out, release(archive, "TP_SEXO"))


@pytest.mark.parametrize("kind", ["file", "zip", "folder"])
def test_an_archive_that_changes_meanwhile_is_refused(tmp_path, out, monkeypatch, kind):
    """It is overwritten in place, by a file of the same size and time."""
    folder = tmp_path / "in"
    folder.mkdir()
    file = plain(folder / "in.csv", b"a\n1\n")
    other = plain(tmp_path / "other.csv", b"a\n2\n")
    if kind == "zip":
        file = zipped(folder / "in.zip", {"in.csv": b"a\n1\n"})
        other = zipped(tmp_path / "other.zip", {"in.csv": b"a\n2\n"})
    before = file.stat()

    def sealed_and_overwritten(*given):
        seal = sealed(*given)
        file.write_bytes(other.read_bytes())
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        return seal

    monkeypatch.setattr(module, "sealed", sealed_and_overwritten)
    archive = folder if kind == "folder" else file
    words = rf"^{archive.name} was changed while it was read\. Wait until nothing wri"
    refused(ArchiveError, words, out, release(archive, "a"), delimited())


def test_what_was_there_before_a_fault_stays_as_it_was(tmp_path, out):
    good = census_zip(tmp_path, CO=census_text(GOOD))
    ingested(out, release(good), census())
    before = [path.read_bytes() for path in sorted(out.iterdir())]
    bad = census_zip(tmp_path, CO=census_text({"ID_ALUNO": "x"}))
    with pytest.raises(TableError):
        ingested(out, release(bad), census())
    assert [path.read_bytes() for path in sorted(out.iterdir())] == before


ANY = r".+\.csv"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def test_a_file_is_sealed_by_its_bytes(tmp_path):
    path = plain(tmp_path / "a.csv", b"abc")
    expected = Seal("a.csv", sha256(b"abc"), 3)
    assert sealed(path, ANY, None) == expected
    assert sealed(path, ANY, sha256(b"abc").upper()) == expected


def test_another_hash_shows_both(tmp_path):
    path = plain(tmp_path / "a.csv", b"abc")
    words = rf"a\.csv has SHA-256 {sha256(b'abc')}, expected {'0' * 64}"
    with pytest.raises(ArchiveError, match=words):
        sealed(path, ANY, "0" * 64)


def test_an_archive_that_the_system_does_not_give_is_named(tmp_path, monkeypatch):
    def denied(_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(seal, "sha256_of", denied)
    words = r"^a\.csv cannot be read \(Permission denied\)\. Check the file's perm"
    with pytest.raises(ArchiveError, match=words):
        sealed(plain(tmp_path / "a.csv", b"abc"), ANY, None)


def test_a_name_that_is_no_text_counts_by_its_bytes(tmp_path):
    (tmp_path / "f").mkdir()
    plain(tmp_path / "f" / "a\udcff.csv", b"abc")
    line = f"{sha256(b'abc')}  ".encode() + b"a\xff.csv\n"
    assert sealed(tmp_path / "f", ANY, None) == Seal("f", sha256(line), 3)


def test_a_folder_is_sealed_by_the_list_of_its_members(tmp_path):
    plain(tmp_path / "b.csv", b"bb")
    zipped(tmp_path / "a.zip", {"a.csv": b"a"})
    plain(tmp_path / "other.txt", b"not a member")
    listing = f"{sha256(b'a')}  a.csv\n{sha256(b'bb')}  b.csv\n"
    assert sealed(tmp_path, ANY, None) == Seal(
        tmp_path.name, sha256(listing.encode()), 3
    )


def test_a_folder_takes_no_hash(tmp_path):
    with pytest.raises(StudyError, match=r"is a folder, .* Remove sha256"):
        sealed(tmp_path, ANY, "0" * 64)


def rewritten(path, data):
    """Write other bytes in place, and set the time back."""
    before = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(path, data):
    plain(path.with_name("new"), data).replace(path)


def touched(path, data):
    rewritten(path, data)
    os.utime(path)


@pytest.mark.parametrize("change", [rewritten, replaced, touched])
def test_a_file_that_changes_while_sealed_is_refused(tmp_path, monkeypatch, change):
    path = plain(tmp_path / "a.csv", b"abc")

    def sha256_of_a_changing_file(path):
        found = sha256(path.read_bytes())
        change(path, b"abd")
        return found

    monkeypatch.setattr(seal, "sha256_of", sha256_of_a_changing_file)
    with pytest.raises(ArchiveError, match=r"^a\.csv was changed while it was read\."):
        sealed(path, ANY, None)


def test_a_change_while_a_file_is_read_is_told_before_what_it_brought_about(tmp_path):
    path = plain(tmp_path / "a.csv", b"abc")
    with pytest.raises(ArchiveError, match="was changed while"), unchanged(path, ANY):
        rewritten(path, b"a\0c")
        raise ArchiveError("a.csv is damaged")
    with pytest.raises(ArchiveError, match="is damaged"), unchanged(path, ANY):
        raise ArchiveError("a.csv is damaged")


@pytest.mark.parametrize("name", ["a.csv", "b.ZIP", "c.csv.gz", "new.csv", "new.zip"])
def test_a_folder_of_which_a_member_changes_while_it_is_read_is_refused(tmp_path, name):
    folder = tmp_path / "f"
    folder.mkdir()
    for known in ("a.csv", "b.ZIP", "c.csv.gz"):
        plain(folder / known, b"1")
    with pytest.raises(ArchiveError, match=r"^f was changed while"):  # noqa: SIM117
        with unchanged(folder, ANY):
            plain(folder / name, b"12")


def test_other_files_of_a_folder_may_change_while_it_is_read(tmp_path):
    plain(tmp_path / "a.csv", b"1")
    with unchanged(tmp_path, ANY):
        plain(tmp_path / "notes.txt", b"1")
