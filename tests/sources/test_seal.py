import errno
import hashlib

import pytest
from released import plain, zipped

from microleak.errors import ArchiveError, StudyError
from microleak.sources import seal
from microleak.sources.seal import Seal, sealed

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


def test_a_missing_archive_is_named(tmp_path):
    with pytest.raises(ArchiveError, match=r"a\.csv does not exist"):
        sealed(tmp_path / "a.csv", ANY, None)


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
