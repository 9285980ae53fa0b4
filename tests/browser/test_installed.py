"""microleak from its bundle, in an environment of its own with nothing else.

The bundle has the wheel and the wheels of envs/run.lock; it is built here, installed
with no index, and used as someone would who has no checkout.
"""

import json
import re
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from microleak.base.paths import ROOT, name_of
from microleak.study.fingerprint import CODE, code_fingerprint

pytestmark = [pytest.mark.workflow, pytest.mark.long]
PEOPLE = "age;town;illness\n30;A;flu\n31;A;none\n30;B;flu\n31;B;none\n40;;flu\n"


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    runpy.run_path(str(ROOT / "envs/bundle.py"))["bundle"](folder)
    return folder


@pytest.fixture(scope="module")
def installed(dist, tmp_path_factory):
    """Call the installed command in a folder, with nothing of this environment."""
    place = tmp_path_factory.mktemp("installed")
    own = {"PATH": "/usr/bin:/bin", "HOME": str(place / "home"), "PIP_NO_INDEX": "1"}
    (bundle,) = dist.glob("*.pyz")
    python = Path(sys.executable).resolve()

    def call(folder, *words, command=place / "env/bin/microleak"):
        return subprocess.run(
            [command, *words],
            cwd=folder,
            env=own,
            capture_output=True,
            text=True,
            check=False,
        )

    done = call(place, bundle, place / "env", command=python)
    assert done.returncode == 0, done.stderr
    return call


def test_the_wheel_has_all_that_a_checkout_runs_with(dist):
    (wheel,) = dist.glob("*.whl")
    there = {*zipfile.ZipFile(wheel).namelist()}
    parts = (*CODE, "config", "envs", "profiles")
    files = {name_of(f) for part in parts for f in (ROOT / part).rglob("*.*")}
    files = {path for path in files if "__pycache__" not in path} | {"Snakefile"}
    assert len(files) > 300
    assert [p for p in files if not {p, f"microleak/project/{p}"} & there] == []


def assert_verifies(installed, results):
    """Check that results are of this code and that the installed command says so."""
    manifest = json.loads((results / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["code"]["fingerprint"] == code_fingerprint()
    folder = results.parents[1]
    verified = installed(folder, "verify", results.relative_to(folder))
    assert verified.returncode == 0, verified.stderr


def test_an_installed_demonstration_ends_in_a_page(installed, browser, tmp_path):
    done = installed(tmp_path, "demo")
    assert done.returncode == 0, done.stderr
    results = tmp_path / "results/school-twin"
    assert_verifies(installed, results)
    with browser.new_context(offline=True) as tab:
        page = tab.new_page()
        faults = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto((results / "report/index.html").as_uri())
        assert page.locator("h1").first.inner_text()
        assert re.search("SINTÉTICO|SYNTHETIC", page.content())
        assert faults == []


def test_a_csv_goes_from_init_to_a_report_in_any_folder(installed, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    assert installed(tmp_path, "init", "people.csv").returncode == 0
    done = installed(tmp_path, "run", "people.yaml")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results/people/report/index.html").exists()
    assert_verifies(installed, tmp_path / "results/people")


def test_the_bundle_refuses_a_folder_that_is_there(dist, tmp_path):
    (bundle,) = dist.glob("*.pyz")
    done = subprocess.run(
        [sys.executable, bundle, tmp_path], capture_output=True, text=True, check=False
    )
    said = f"{tmp_path} is there already. Name a folder that is not.\n"
    assert (done.returncode, done.stdout) == (1, said)


def test_the_image_copies_what_make_bundle_writes(dist):
    recipe = (ROOT / "Containerfile").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"^COPY dist/(\S+) ", recipe, re.MULTILINE)
    assert len([*dist.glob(pattern)]) == 1
    for name in (".containerignore", ".dockerignore"):
        ignored = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert ignored == ["*", f"!dist/{pattern}"]
