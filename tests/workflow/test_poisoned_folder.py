"""A study folder from somebody else runs no code of its own."""

import os
import subprocess
import sys

import pytest

from microleak.run.snakemake_call import safe_environment

MODULES = (
    *("tabulate", "snakemake", "microleak", "sitecustomize", "usercustomize"),
    *("numpy", "psutil", "yaml", "snakemake_logger_plugin_other"),
)
PROFILE = """\
default-resources:
  - mem_mb=open({ran!r}, "w").write("1")
"""


def poison(folder, profiles=("profiles/default", "own")):
    """Put into a folder all that Python or Snakemake would take from there."""
    ran = folder / "ran"
    ran.mkdir()
    for place in (folder, folder / ".snakemake/scripts"):
        place.mkdir(parents=True, exist_ok=True)
        for name in MODULES:
            code = f"open({str(ran / name)!r}, 'w')\nraise SystemExit(3)\n"
            (place / f"{name}.py").write_text(code)
            package = place / f"{name}_package"
            package.mkdir()
            (package / "__init__.py").write_text(code)
            package.rename(place / name)
    for name in profiles:
        (folder / name).mkdir(parents=True)
        text = PROFILE.format(ran=str(ran / "profile"))
        (folder / name / "config.yaml").write_text(text)
    return ran


def microleak(folder, *words):
    """Run a command as the installed program does, which does not look here."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "microleak", *words],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "SNAKEMAKE_PROFILE": "own"},
    )


@pytest.mark.workflow
def test_nothing_of_a_study_folder_is_run(csv_study):
    ran = poison(csv_study.folder)
    for words in (
        ["run", csv_study.file.name, "--", "-n"],
        ["run", csv_study.file.name],
        ["verify", "results/people", "--rerun", "people/1"],
    ):
        done = microleak(csv_study.folder, *words)
        assert not [path.name for path in ran.iterdir()], words
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [".snakemake/pip-deployments", ".numba_config.yaml"])
def test_a_folder_from_which_libraries_run_code_is_refused(csv_study, name):
    (csv_study.folder / name).mkdir(parents=True)
    done = microleak(csv_study.folder, "run", csv_study.file.name, "--", "-n")
    assert done.returncode == 1
    assert f"There is {name} in this folder" in done.stderr


def test_a_profile_that_is_asked_for_is_read(csv_study):
    ran = poison(csv_study.folder, profiles=["mine"])
    words = ["run", csv_study.file.name, "--", "-n", "--workflow-profile", "mine"]
    done = microleak(csv_study.folder, *words)
    assert [path.name for path in ran.iterdir()] == ["profile"], done.stderr


@pytest.mark.parametrize("is_writable", [True, False])
def test_caches_are_below_the_working_folder_where_home_cannot_be_written(
    monkeypatch, is_writable
):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("os.access", lambda path, mode: is_writable)
    assert ("XDG_CACHE_HOME" in safe_environment()) == (not is_writable)
