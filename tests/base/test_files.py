"""A file or folder is whole or as it was before."""

from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.base.files import (
    all_new,
    remove_unfinished,
    sha256_of,
    whole_file,
    whole_folder,
    write_text,
)


def names_in(folder):
    return [path.name for path in folder.iterdir()]


@pytest.fixture
def figures(tmp_path):
    """A folder that is there with an old figure."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/old.svg").write_text("old")
    return tmp_path / "figures"


def test_a_file_appears_only_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "table.csv"
    with whole_file(path) as aside:
        aside.write_text("a")
        assert not path.exists()
    assert path.read_text() == "a"
    assert names_in(path.parent) == ["table.csv"]


def test_after_an_error_the_old_file_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    write_text(path, "old\n")
    with pytest.raises(RuntimeError, match="half-way"), whole_file(path) as aside:
        aside.write_text("new")
        raise RuntimeError("half-way")
    assert path.read_text() == "old\n"
    assert names_in(tmp_path) == ["table.csv"]


def test_the_last_of_two_writers_wins_whole(tmp_path):
    path = tmp_path / "table.csv"
    with whole_file(path) as first, whole_file(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"


def new_files(folder):
    return [folder / name for name in ("town.txt", "town.txt.json", "town.layout")]


def test_new_files_appear_together(tmp_path):
    paths = new_files(tmp_path)
    with all_new(paths) as asides:
        for aside in asides:
            aside.write_text(aside.name)
        assert not any(path.exists() for path in paths)
    assert [path.read_text() for path in paths] == [path.name for path in paths]
    assert {*tmp_path.iterdir()} == {*paths}


@pytest.mark.parametrize("at", range(3))
def test_a_file_made_meanwhile_stays_and_no_new_one_is_left_beside_it(tmp_path, at):
    paths = new_files(tmp_path)
    said = pytest.raises(StudyError, match=f"{paths[at].name} was made by some")
    with said, all_new(paths) as asides:
        for aside in asides:
            aside.write_text("new")
        paths[at].write_text("other")
    assert [*tmp_path.iterdir()] == [paths[at]]
    assert paths[at].read_text() == "other"


@pytest.mark.parametrize("at", range(3))
def test_where_one_new_file_cannot_be_renamed_none_is_left(tmp_path, monkeypatch, at):
    paths = new_files(tmp_path)
    rename = Path.replace

    def failing(self, target):
        if target == paths[at]:
            raise OSError("no room")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OSError, match="no room"), all_new(paths) as asides:
        for aside in asides:
            aside.write_text("new")
    assert not [*tmp_path.iterdir()]


def test_after_an_error_the_old_folder_is_there(figures, tmp_path):
    with pytest.raises(RuntimeError, match="half-way"), whole_folder(figures):
        raise RuntimeError("half-way")
    assert [p.name for p in tmp_path.rglob("*")] == ["figures", "old.svg"]


def test_what_is_unfinished_lies_beside_its_place_under_a_name_that_says_so(tmp_path):
    for writer in (whole_file, whole_folder):
        with writer(tmp_path / "table") as aside:
            (left,) = tmp_path.iterdir()
            assert left.name.startswith(".unfinished-table.")
            assert left in {aside, aside.parent}
            aside.touch()
        left = tmp_path / "table"
        left.unlink() if left.is_file() else left.rmdir()


def test_a_folder_that_cannot_be_replaced_stays(figures, monkeypatch):
    replace = Path.replace

    def refused(self, target):
        if (self / "new.svg").exists():
            raise PermissionError("refused")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(PermissionError), whole_folder(figures) as aside:
        (aside / "new.svg").write_text("new")
    assert names_in(figures) == ["old.svg"]


def test_when_a_kill_comes_the_old_folder_was_not_removed_before_the_new_one_is_there(
    figures, tmp_path, monkeypatch
):
    replace, seen = Path.replace, []

    def watched(self, target):
        moved = replace(self, target)
        seen.append({p.name for p in tmp_path.rglob("*.svg")})
        return moved

    monkeypatch.setattr(Path, "replace", watched)
    with whole_folder(figures) as aside:
        (aside / "new.svg").write_text("new")
    assert seen == [{"old.svg", "new.svg"}] * 2
    assert [p.name for p in tmp_path.rglob("*")] == ["figures", "new.svg"]


def test_a_sweep_removes_what_is_unfinished_and_nothing_else(tmp_path):
    for path in (".unfinished-a.x/a", "b/.unfinished-deduplicate-y/z/records", "b/.c"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("records")
    (tmp_path / "b" / ".unfinished-spill").write_text("records")
    remove_unfinished(tmp_path)
    assert sorted(p.name for p in tmp_path.rglob("*")) == [".c", "b"]
    remove_unfinished(tmp_path / "none")


def test_sha256_is_that_of_the_bytes(tmp_path):
    write_text(tmp_path / "abc", "abc")
    assert sha256_of(tmp_path / "abc").startswith("ba7816bf8f01cfea414140de5dae2223")
