"""Whatever a manifest lists, nothing is read or removed but the study's own results."""

import pytest

from microleak.errors import VerificationError
from microleak.study.changed_results import remove_changed
from microleak.study.manifest import verify
from microleak.study.manifest_file import read_manifest
from tests.study.auditing import sealed_again


def every_file(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def listing(path):
    """A change that adds a file with another SHA-256 to a manifest."""
    added = {"path": path, "sha256": "0" * 64, "bytes": 1}
    return lambda manifest: manifest["outputs"].append(added)


@pytest.mark.parametrize(
    "path",
    [
        *("../../x", "/etc/x", "//etc/x", "figures/../../../keep", "..", "a\0b"),
        *("./measures/b.csv", "measures//b.csv", "measures/./b.csv", "measures/b.csv/"),
        *("", ".", "report", "code", "figures", "figures/a", "tables", "tables/census"),
        *("raw/url/census/2018", "logs/x", "manifest.json", "measures/ingest.csv"),
    ],
)
def test_a_path_that_is_not_of_one_file_of_the_results_is_refused(made, path):
    (made.parents[1] / "keep").mkdir()
    (made.parents[1] / "keep/it").write_text("mine")
    sealed_again(made, listing(path))
    before = every_file(made.parents[1])
    for command in (read_manifest, verify, remove_changed):
        with pytest.raises(
            VerificationError, match=r"lists .*not the path of one"
        ) as e:
            command(made)
        assert "\n" not in str(e.value)
    assert every_file(made.parents[1]) == before


def test_a_path_with_a_line_end_is_named_in_one_line(made):
    sealed_again(made, listing("a\n/../b"))
    with pytest.raises(VerificationError, match=r"lists 'a\\n/\.\./b', which is not"):
        verify(made)


def test_a_file_that_no_rule_makes_is_not_removed(made):
    (made / "notes.txt").write_text("mine")
    sealed_again(made, listing("notes.txt"))
    assert remove_changed(made) == []
    assert (made / "notes.txt").read_text() == "mine"


def test_what_a_link_leads_to_outside_the_results_is_not_removed(made, tmp_path):
    (made / "tables").rename(tmp_path / "elsewhere")
    (made / "tables").symlink_to(tmp_path / "elsewhere")
    (made / "measures/ingest.csv").write_text("changed")
    (made / "tables/census/2018.json").write_text("changed")
    before = every_file(tmp_path)
    with pytest.raises(VerificationError, match=r"2018\.json was .* a link leads to"):
        remove_changed(made)
    assert every_file(tmp_path) == before


@pytest.mark.parametrize("path", ["report", "figures/a", "measures/ingest.csv"])
def test_a_link_in_the_place_of_a_result_is_removed_and_not_what_it_leads_to(
    made, tmp_path, path
):
    (made / path).rename(tmp_path / "elsewhere")
    (made / path).symlink_to(tmp_path / "elsewhere")
    kept = every_file(tmp_path / "elsewhere")
    (made / "report/index.html").write_text("changed")
    (made / "figures/a/x.svg").write_text("changed")
    kept |= {p: p.read_bytes() for p in kept}
    changed = remove_changed(made)
    assert not (made / path).is_symlink()
    assert any(each.startswith(path) for each in changed)
    assert every_file(tmp_path / "elsewhere") == kept


def test_a_folder_in_the_place_of_a_file_is_left_with_what_is_in_it(made):
    (made / "measures/ingest.csv").unlink()
    (made / "measures/ingest.csv").mkdir()
    (made / "measures/ingest.csv/mine").write_text("mine")
    with pytest.raises(VerificationError, match=r"ingest\.csv is a folder, and"):
        remove_changed(made)
    assert (made / "measures/ingest.csv/mine").read_text() == "mine"


def test_changed_results_are_removed_with_the_folder_that_is_made_whole(made):
    (made / "figures/a/x.svg").write_text("changed")
    (made / "measures/collective/a.csv").unlink()
    assert remove_changed(made) == ["figures/a/x.svg", "measures/collective/a.csv"]
    assert not (made / "figures/a").exists()
    assert (made / "manifest.json").exists()


@pytest.mark.parametrize("path", ["code/Snakefile", "ro-crate-metadata.json"])
def test_a_manifest_is_removed_with_what_is_made_with_it(made, path):
    (made / path).write_text("changed")
    assert remove_changed(made) == [path]
    assert not (made / "manifest.json").exists()


def test_a_damaged_manifest_is_removed_alone(made):
    before = every_file(made)
    (made / "manifest.json").write_text("{")
    assert remove_changed(made) == ["manifest.json"]
    assert every_file(made) == {
        path: data for path, data in before.items() if path.name != "manifest.json"
    }
