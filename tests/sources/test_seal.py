import errno
import hashlib
import os

import pytest

from microleak.base.errors import ArchiveError, StudyError
from microleak.sources.files import identity as seal
from microleak.sources.files.identity import Seal, sealed, unchanged
from tests.sources.released import plain, zipped

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
def test_a_file_that_changes_while_it_is_sealed_is_refused(
    tmp_path, monkeypatch, change
):
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
