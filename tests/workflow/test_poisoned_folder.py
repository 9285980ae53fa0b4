"""A study folder from somebody else runs no code of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from microleak.run.snakemake_call import own_cache, safe_environment

MODULES = (
    *("tabulate", "snakemake", "microleak", "sitecustomize", "usercustomize"),
    *("numpy", "psutil", "yaml", "snakemake_logger_plugin_other"),
)
MICROLEAK = [sys.executable, "-P", "-m", "microleak"]
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
        [*MICROLEAK, *words],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "SNAKEMAKE_PROFILE": "own"},
    )


@pytest.mark.long
@pytest.mark.workflow
def test_nothing_of_a_study_folder_is_run(short_study):
    ran = poison(short_study.folder)
    for words in (
        ["run", short_study.file.name],
        ["verify", "results/people", "--rerun", "people/1"],
    ):
        done = microleak(short_study.folder, *words)
        assert not [path.name for path in ran.iterdir()], words
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [".snakemake/pip-deployments", ".numba_config.yaml"])
def test_a_folder_from_which_libraries_run_code_is_refused(csv_study, name):
    (csv_study.folder / name).mkdir(parents=True)
    done = microleak(csv_study.folder, "run", csv_study.file.name, "--", "-n")
    assert done.returncode == 1
    assert f"There is {name} in this folder" in done.stderr


@pytest.mark.long
def test_a_profile_that_is_asked_for_is_read(csv_study):
    ran = poison(csv_study.folder, profiles=["mine"])
    words = ["run", csv_study.file.name, "--", "-n", "--workflow-profile", "mine"]
    done = microleak(csv_study.folder, *words)
    assert [path.name for path in ran.iterdir()] == ["profile"], done.stderr


def test_caches_are_in_a_new_private_folder_where_the_users_cannot_be_written(
    tmp_path, monkeypatch, home, given
):
    for folder in ("relative", "with-a-file"):
        (tmp_path / folder).mkdir()
    for file in ("file", "with-a-file/.cache"):
        (tmp_path / file).touch()
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", home if home == "relative" else str(tmp_path / home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if given is not None:
        given = given.replace("HERE", str(tmp_path))
        monkeypatch.setenv("XDG_CACHE_HOME", given)
    places = []
    for _ in range(2):
        with own_cache():
            places.append(Path(safe_environment()["XDG_CACHE_HOME"]))
            assert places[-1].stat().st_mode & 0o777 == 0o700
            assert not any(places[-1].iterdir())
        assert os.environ.get("XDG_CACHE_HOME") == given
    assert places[0] != places[1]
    here = set(tmp_path.rglob("*"))
    assert not any(p.exists() or p in here for p in places)


def test_without_any_home_that_of_the_user_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def unknown(self):
        raise RuntimeError

    monkeypatch.setattr(Path, "expanduser", unknown)
    with own_cache():
        assert Path(os.environ["XDG_CACHE_HOME"]).is_dir()
    assert "XDG_CACHE_HOME" not in os.environ


def test_a_home_without_caches_gets_some_that_are_private(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with own_cache():
        assert "XDG_CACHE_HOME" not in os.environ
    assert [path.name for path in tmp_path.rglob("*")] == [".cache"]
    assert (tmp_path / ".cache").stat().st_mode & 0o777 == 0o700


def test_the_users_own_caches_are_kept_where_they_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    with own_cache():
        assert os.environ["XDG_CACHE_HOME"] == str(tmp_path / "caches")


def test_a_command_works_where_neither_home_nor_the_package_can_be_written(tmp_path):
    there = {k: v for k, v in os.environ.items() if k != "XDG_CACHE_HOME"}
    # Numba looks beside a module first; this stands for a package that is read-only.
    classes = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserWideCacheLocator"}
    (tmp_path / "people.csv").write_text("age\n1\n")
    done = subprocess.run(
        [*MICROLEAK, "assess", "people.csv", "--qids", "age", "--sizes", "2"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        env={**there, **classes, "HOME": "/dev/null/none"},
    )
    assert "Correct --sizes." in done.stderr
