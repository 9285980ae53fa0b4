import hashlib

import pytest
from released import plain, zipped

from microleak.errors import ArchiveError, StudyError
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
