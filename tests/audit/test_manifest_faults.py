"""What was added to results, or is told otherwise, is named and refused."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from microleak.audit.crate import CRATE
from microleak.audit.manifest import check_places, is_current, verify, write_manifest
from microleak.audit.sealed import read_manifest
from microleak.base.digests import Digests
from microleak.base.errors import StudyError, VerificationError
from microleak.base.locks import only_run
from microleak.base.paths import ROOT
from microleak.study.listing import files_of, make_private_folders, manifest_entry
from tests.audit.auditing import (
    N_FILES,
    OUTPUTS,
    STUDY,
    audited,
    results_of,
    sealed_again,
    study_file,
)


def entry_of(outputs, path):
    return next(each for each in outputs if each["path"] == path)


RECEIPT = r"1 with another receipt \({}/census/201{}\.json\)"
ROWS = "with other bytes or rows"


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (
            ["outputs", "people/census/2018.parquet", "n_rows"],
            3,
            rf"1 {ROWS} \(people/c",
        ),
        (
            ["outputs", "measures/collective/a.csv", "n_rows"],
            None,
            rf"1 {ROWS} \(measu",
        ),
        (["outputs", "report/index.html", "bytes"], 1, rf"1 {ROWS} \(rep.*\); 1 told"),
        (
            ["inputs", "tables/census/2018.json", "n_read"],
            4,
            RECEIPT.format("tables", 8),
        ),
        (["inputs", "people/census/2018.json"], None, RECEIPT.format("people", 8)),
        (["inputs", "tables/census/2017.json"], {}, RECEIPT.format("tables", 7)),
        (["synthetic"], True, r"1 with another mark of twins \(measures/ingest\.csv\)"),
        (
            ["code", "fingerprint"],
            "1" * 64,
            r"1 told otherwise by ro.*#software-microl",
        ),
        (
            ["code", "microleak"],
            "9.9",
            r"1 told otherwise by .*json \(#software-microl",
        ),
        (["versions", "duckdb"], "9.9", r"1 told otherwise by .* \(#software-duckdb\)"),
        (
            ["config", "sha256"],
            "1" * 64,
            r"2 told otherwise by .* \(ni:///.*, ni:///.*\)",
        ),
    ],
)
def test_a_manifest_that_says_what_the_results_do_not_is_refused(
    made, where, value, said
):
    def change(part):
        *above, key = where
        for name in above:
            part = part[name] if isinstance(part, dict) else entry_of(part, name)
        part.pop(key, None)
        if value is not None:
            part[key] = value

    sealed_again(made, change)
    with pytest.raises(VerificationError, match=rf"manifest\.json does not.*{said}"):
        verify(made)


def test_a_crate_that_the_manifest_does_not_list_is_named(made):
    sealed_again(made, lambda manifest: manifest["outputs"].pop())
    with pytest.raises(VerificationError, match=r"1 not listed \(ro-crate-metadata"):
        verify(made)


def change_the_crate(made, change):
    path = made / CRATE
    crate = json.loads(path.read_text(encoding="utf-8"))
    change(crate)
    path.write_text(json.dumps(crate), encoding="utf-8")
    listed = manifest_entry(made, CRATE, Digests())
    sealed_again(made, lambda told: entry_of(told["outputs"], CRATE).update(listed))


def other_hash(crate):
    files = {each["@id"]: each for each in crate["@graph"]}
    files["report/index.html"]["sha256"] = "1" * 64


MORE = {"@id": "report/x.html", "sha256": "1" * 64}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda crate: crate.update({"@graph": 3}), CRATE),
        (other_hash, "report/index.html"),
        (lambda crate: crate["@graph"].append(MORE), "report/x"),
    ],
)
def test_a_crate_that_says_what_the_manifest_does_not_is_refused(made, change, said):
    change_the_crate(made, change)
    with pytest.raises(VerificationError, match=rf"1 told otherwise by .* \({said}"):
        verify(made)


def test_the_words_of_a_crate_may_be_those_of_another_version(made):
    def reworded(crate):
        for each in crate["@graph"]:
            if each.get("description") and each["@id"] != "#software-microleak":
                each["description"] = "Other words"

    change_the_crate(made, reworded)
    assert verify(made) > 0


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


PLACES = {"measures/ingest.csv", "figures/a", "report"}


def test_results_behind_a_link_are_not_made(made, tmp_path):
    (made / "measures").rename(tmp_path / "elsewhere")
    (made / "measures").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StudyError, match=r"1 results of .* behind links \(measures\)"):
        check_places(made, PLACES)


def test_a_link_in_the_place_of_a_result_is_no_reason_to_refuse(made, tmp_path):
    (made / "report").rename(tmp_path / "elsewhere")
    (made / "report").symlink_to(tmp_path / "elsewhere")
    check_places(made, PLACES)


def test_a_folder_in_the_place_of_a_file_is_refused(made):
    (made / "measures/ingest.csv").unlink()
    (made / "measures/ingest.csv").mkdir()
    with pytest.raises(StudyError, match=r"ingest\.csv is a folder where a file"):
        check_places(made, PLACES)


def test_a_manifest_is_current_until_something_differs(made, tmp_path):
    config = study_file(tmp_path)
    assert is_current(made, config, Digests())
    (made / "notes.txt").write_text("mine")
    assert not is_current(made, config, Digests())
    (made / "notes.txt").unlink()
    assert is_current(made, config, Digests())
    config.write_text("study: small # other\n")
    assert not is_current(made, config, Digests())


@pytest.mark.parametrize(
    "path", ["code/Snakefile", "ro-crate-metadata.json", "manifest.json"]
)
def test_a_manifest_is_not_current_if_it_or_what_it_lists_was_changed(
    made, tmp_path, path
):
    (made / path).write_text("{")
    assert not is_current(made, study_file(tmp_path), Digests())


def named(made, fault, path):
    with pytest.raises(VerificationError) as caught:
        verify(made)
    to_do = "Move" if fault == "not listed" else "Restore"
    assert f"lists: 1 {fault} ({path}). {to_do}" in str(caught.value)


def hidden(path):
    path.parent.mkdir(exist_ok=True)
    path.write_text("added")


@pytest.mark.parametrize(
    ("path", "add", "said"),
    [
        *((p, hidden, p) for p in (".hid", "report/.data", ".snakemake/log", "r/.git")),
        *((path, Path.mkdir, f"{path}/") for path in ("new", "report/new", ".new")),
        ("report/link", lambda path: path.symlink_to("measures"), "report/link"),
        ("report/link", lambda path: path.symlink_to("/"), "report/link"),
        ("report/link", lambda path: path.symlink_to("nowhere"), "report/link"),
        # It is not waited for.
        ("report/pipe", os.mkfifo, "report/pipe"),
        ("two\nlines", hidden, r"'two\nlines'"),
    ],
)
def test_what_is_hidden_empty_a_link_or_a_pipe_is_named_in_one_line(
    made, path, add, said
):
    add(made / path)
    named(made, "not listed", said)


def test_a_link_to_equal_bytes_is_no_file(made, tmp_path):
    path = made / "measures/ingest.csv"
    path.rename(tmp_path / "elsewhere.csv")
    path.symlink_to(tmp_path / "elsewhere.csv")
    named(made, "changed", "measures/ingest.csv")


def test_snakemakes_time_stamps_are_hidden_while_they_are_empty(made):
    stamp = made / "figures/a/.snakemake_timestamp"
    assert verify(made) == N_FILES
    stamp.write_text("more than a time")
    named(made, "not listed", "figures/a/.snakemake_timestamp")


def test_paths_stand_in_the_order_of_their_spelling(tmp_path):
    for path in ("b/c", "b.csv", "B", "b/a/z", "é"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert files_of(tmp_path) == ["B", "b.csv", "b/a/z", "b/c", "é"]


def test_empty_folders_of_a_run_that_failed_are_removed_before_the_manifest(
    made, tmp_path
):
    (made / "confidential/targets").mkdir(parents=True)
    write_manifest(made, STUDY, study_file(tmp_path), OUTPUTS, Digests())
    assert not (made / "confidential").exists()
    assert verify(made) == N_FILES


def told_by_the_documentation(made):
    text = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    _, text, _ = re.split(r"^## With.*", text, flags=re.MULTILINE)
    lines = re.findall(r"^\$ ((?:python3|find \.) .*)$", text, re.MULTILINE)
    assert len(lines) == 3
    line = ["bash", "-c", "\n".join(lines)]
    told = subprocess.run(line, cwd=made, capture_output=True, text=True, check=False)
    return told.stdout.splitlines()


def test_the_commands_of_the_documentation_see_what_verify_sees(made):
    shutil.rmtree(made / "people/census/.unfinished-2018.parquet.x1")
    assert told_by_the_documentation(made) == []
    (made / "measures/ingest.csv").write_text("changed")
    (made / "report/index.html").rename(made / "index.html")
    (made / "report/index.html").symlink_to("../index.html")
    (made / "report/.hidden").write_text("added")
    (made / "new").mkdir()
    told = told_by_the_documentation(made)
    assert told[0] == "measures/ingest.csv: FAILED"
    assert {line for line in told if line[0] in "<>"} == {
        *("> index.html", "< report/index.html", "> report/index.html@"),
        *("> new", "> report/.hidden"),
    }


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_records_are_for_who_ran_the_study_alone(tmp_path, umask):
    before = os.umask(umask)
    try:
        made = audited(tmp_path)
    finally:
        os.umask(before)
    for folder in ("tables", "people"):
        for path in [made / folder, *(made / folder).rglob("*")]:
            assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
    shared = 0o666 & ~umask
    assert (made / "measures/ingest.csv").stat().st_mode & 0o777 == shared


def test_of_a_public_study_the_report_alone_is_for_others(tmp_path):
    study_dir = results_of(tmp_path)
    public = STUDY | {"report": {"audience": "public"}}
    write_manifest(study_dir, public, study_file(tmp_path), OUTPUTS, Digests())
    is_open = {
        path.relative_to(study_dir).as_posix()
        for path in study_dir.rglob("*")
        if path.stat().st_mode & 0o077
    }
    assert is_open == {"report", "report/index.html"}


@pytest.mark.parametrize(
    ("audience", "is_open"),
    [("internal", {"measures", "report"}), ("public", {"report"})],
)
def test_folders_are_closed_before_the_first_byte(tmp_path, audience, is_open):
    outputs = ["profiles/a/contingency.parquet", "measures/a.csv", "report/index.html"]
    for name in ("profiles", "measures", "report"):
        (tmp_path / name).mkdir()
    make_private_folders(tmp_path, outputs, audience)
    found = {path.name for path in tmp_path.iterdir() if path.stat().st_mode & 0o077}
    assert found == is_open


def test_results_without_a_manifest_are_of_a_run_that_goes_on_or_was_stopped(
    made, tmp_path, monkeypatch
):
    monkeypatch.chdir(made.parents[1])
    (made / "manifest.json").unlink()
    with pytest.raises(VerificationError, match=r"failed: .* microleak resume"):
        verify(made)
    with (
        only_run(made.name),
        pytest.raises(VerificationError, match=r"is going on, .* Wait for it"),
    ):
        verify(made)
