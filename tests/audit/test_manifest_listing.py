"""What was added to results is named, in whatever form it lies there."""

import os
import re
import shutil
import subprocess

import pytest

from microleak.audit.manifest import verify, write_manifest
from microleak.base.digests import Digests
from microleak.base.errors import VerificationError
from microleak.base.locks import only_run
from microleak.base.paths import ROOT
from microleak.study.listing import files_of, make_private_folders
from tests.audit.auditing import (
    N_FILES,
    OUTPUTS,
    STUDY,
    audited,
    results_of,
    study_file,
)


def named(made, fault, path):
    with pytest.raises(VerificationError) as caught:
        verify(made)
    to_do = "Move" if fault == "not listed" else "Restore"
    assert f"lists: 1 {fault} ({path}). {to_do}" in str(caught.value)


@pytest.mark.parametrize(
    "path", [".hidden", "report/.data", ".snakemake/log", "r/.git"]
)
def test_a_file_with_a_hidden_name_is_named(made, path):
    (made / path).parent.mkdir(exist_ok=True)
    (made / path).write_text("added")
    named(made, "not listed", path)


@pytest.mark.parametrize("path", ["new", "report/new", ".new"])
def test_an_empty_folder_is_named(made, path):
    (made / path).mkdir()
    named(made, "not listed", f"{path}/")


@pytest.mark.parametrize("target", ["measures", "/", "nowhere"])
def test_a_link_is_named_as_a_file_wherever_it_leads(made, target):
    (made / "report/link").symlink_to(target)
    named(made, "not listed", "report/link")


def test_a_link_to_equal_bytes_is_no_file(made, tmp_path):
    path = made / "measures/ingest.csv"
    path.rename(tmp_path / "elsewhere.csv")
    path.symlink_to(tmp_path / "elsewhere.csv")
    named(made, "changed", "measures/ingest.csv")


def test_a_pipe_is_named_and_not_waited_for(made):
    os.mkfifo(made / "report/pipe")
    named(made, "not listed", "report/pipe")


def test_a_name_with_a_line_end_is_told_in_one_line(made):
    (made / "two\nlines").write_text("added")
    named(made, "not listed", r"'two\nlines'")


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
    """What its commands for who has no microleak print of results."""
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
