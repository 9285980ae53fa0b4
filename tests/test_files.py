"""A file or folder is whole or as it was before."""

import pytest

from microleak.files import sha256_of, whole, whole_folder, write_text


def test_a_file_appears_only_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "table.csv"
    with whole(path) as aside:
        aside.write_text("a")
        assert not path.exists()
    assert path.read_text() == "a"
    assert [p.name for p in path.parent.iterdir()] == ["table.csv"]


def test_after_an_error_the_old_file_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    write_text(path, "old\n")
    with pytest.raises(RuntimeError, match="half-way"), whole(path) as aside:
        aside.write_text("new")
        raise RuntimeError("half-way")
    assert path.read_text() == "old\n"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_the_last_of_two_writers_wins_whole(tmp_path):
    path = tmp_path / "table.csv"
    with whole(path) as first, whole(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"


def test_a_folder_takes_the_place_of_the_old_one(tmp_path):
    folder = tmp_path / "figures"
    for name in ("old.svg", "new.svg"):
        with whole_folder(folder) as aside:
            (aside / name).write_text(name)
    assert [p.name for p in folder.iterdir()] == ["new.svg"]
    assert [p.name for p in tmp_path.iterdir()] == ["figures"]


def test_after_an_error_the_old_folder_is_there(tmp_path):
    folder = tmp_path / "figures"
    with whole_folder(folder) as aside:
        (aside / "old.svg").write_text("old")
    with pytest.raises(RuntimeError, match="half-way"), whole_folder(folder) as aside:
        raise RuntimeError("half-way")
    assert [p.name for p in tmp_path.rglob("*")] == ["figures", "old.svg"]


def test_sha256_is_that_of_the_bytes(tmp_path):
    write_text(tmp_path / "abc", "abc")
    assert sha256_of(tmp_path / "abc").startswith("ba7816bf8f01cfea414140de5dae2223")
