"""Whatever a manifest lists, nothing is read or removed but the study's own results."""

import pytest

from microleak.audit.manifest import check_places, is_current, read_manifest, verify
from microleak.base.digests import Digests
from microleak.base.errors import StudyError, VerificationError
from tests.audit.auditing import sealed_again, study_file


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
    for command in (read_manifest, verify):
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


OUTPUTS = {"measures/ingest.csv", "figures/a", "report"}


def test_results_behind_a_link_are_not_made(made, tmp_path):
    (made / "measures").rename(tmp_path / "elsewhere")
    (made / "measures").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StudyError, match=r"1 results of .* behind links \(measures\)"):
        check_places(made, OUTPUTS)


def test_a_link_in_the_place_of_a_result_is_no_reason_to_refuse(made, tmp_path):
    (made / "report").rename(tmp_path / "elsewhere")
    (made / "report").symlink_to(tmp_path / "elsewhere")
    check_places(made, OUTPUTS)


def test_a_folder_in_the_place_of_a_file_is_refused(made):
    (made / "measures/ingest.csv").unlink()
    (made / "measures/ingest.csv").mkdir()
    with pytest.raises(StudyError, match=r"ingest\.csv is a folder where a file"):
        check_places(made, OUTPUTS)


def test_a_manifest_is_current_until_something_differs(made, tmp_path):
    config = study_file(tmp_path)
    assert is_current(made, config, Digests())
    (made / "notes.txt").write_text("mine")
    assert not is_current(made, config, Digests())
    (made / "notes.txt").unlink()
    assert is_current(made, config, Digests())
    config.write_text("study: small # other\n")
    assert not is_current(made, config, Digests())


@pytest.mark.parametrize("path", ["code/Snakefile", "ro-crate-metadata.json"])
def test_a_manifest_is_not_current_beside_what_was_changed(made, tmp_path, path):
    (made / path).write_text("changed")
    assert not is_current(made, study_file(tmp_path), Digests())


def test_a_damaged_manifest_is_not_current(made, tmp_path):
    (made / "manifest.json").write_text("{")
    assert not is_current(made, study_file(tmp_path), Digests())
