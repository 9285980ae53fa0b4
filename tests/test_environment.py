"""What `make` installs, and what it says where it cannot."""

import shutil
import subprocess

import pytest
import yaml

from microleak.base.paths import ROOT


def made(*words, folder=ROOT):
    done = subprocess.run(
        ["make", "-f", str(ROOT / "Makefile"), *words],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout, done.stderr


def test_nothing_is_installed_without_its_hash():
    planned, _ = made("--dry-run", "--always-make", ".venv/test")
    lines = planned.replace("\\\n", "").splitlines()
    commands = [each for line in lines for each in line.split("||")]
    installs = [each for each in commands if " pip install " in each]
    # What uv cannot install pip does.
    assert len(installs) == 6
    for line in installs:
        assert "--no-build-isolation" in line, "a build would fetch what it needs"
        assert "--require-hashes" in line or "--no-deps -e ." in line


def test_an_installation_says_what_it_does_and_shows_no_recipe():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in (".venv/run", ".venv/test"):
        _, _, rule = text.partition(f"\n{target}:")
        recipe = rule.partition("\n\n")[0].replace("\\\n", "").splitlines()[1:]
        assert all(line.startswith("\t@") for line in recipe)
        assert any("takes a minute or two" in line for line in recipe)


@pytest.fixture
def folder(tmp_path):
    """A project whose Python installs nothing."""
    shutil.copytree(ROOT / "envs", tmp_path / "envs")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "bin").mkdir()
    for name in ("python", "uname"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def test_an_index_that_cannot_be_reached_is_said(folder):
    _, errors = made(".venv/run", f"BIN={folder}/bin", folder=folder)
    assert "packages of envs/*.lock could not be installed. Reach a package" in errors


def test_another_system_than_linux_is_refused(folder):
    (folder / "bin/uname").write_text("#!/bin/sh\necho Darwin\n")
    words = [f"BIN={folder}/bin", f"PATH={folder}/bin:/usr/bin:/bin"]
    _, errors = made(".venv/run", *words, folder=folder)
    assert "microleak needs Linux" in errors


def test_every_test_that_is_long_is_there():
    listed = yaml.safe_load((ROOT / "tests/long.yaml").read_text(encoding="utf-8"))
    for pattern, tests in listed.items():
        paths = [*(ROOT / "tests").glob(pattern)]
        assert paths, pattern
        if isinstance(tests, dict):
            text = paths[0].read_text(encoding="utf-8")
            assert all(f"\ndef {name}(" in text for name in tests), pattern
            assert all(step == "all" or step > 1 for step in tests.values()), pattern
