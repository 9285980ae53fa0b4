"""Changed code reruns the rules that depend on it (on a copy of the project)."""

import os
import shutil
import subprocess
import sys

import pytest

from microleak.study.paths import ROOT
from tests.workflow.conftest import CSV_STUDY, PEOPLE, rules_run

pytestmark = pytest.mark.workflow
PARTS = ["microleak", "scripts", "workflow", "config", "envs", "profiles", "Snakefile"]


@pytest.fixture
def copy(tmp_path):
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, tmp_path / part, ignore=ignore)
        else:
            shutil.copy(source, tmp_path / part)
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "people.yaml").write_text(CSV_STUDY, encoding="utf-8")
    return tmp_path


def reruns(copy):
    line = [sys.executable, "-m", "snakemake", "--configfile", "people.yaml"]
    done = subprocess.run(
        [*line, "--cores", "2"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(copy)},
    )
    assert done.returncode == 0, done.stderr
    return rules_run(done.stderr)


def test_code_reruns_what_depends_on_it_and_no_more(copy):
    assert "profile" in reruns(copy)
    for module, expected in (
        (
            "microleak/kernels/walk.py",
            ["all", "audit", "draw", "measure", "profile", "report"],
        ),
        (
            "microleak/attacks/attribute_inference.py",
            ["all", "audit", "draw", "measure", "report"],
        ),
        ("microleak/figures/svg.py", ["all", "audit", "draw", "report"]),
    ):
        path = copy / module
        path.write_text(path.read_text("utf-8") + "\n# changed\n", encoding="utf-8")
        assert reruns(copy) == expected, module
        assert reruns(copy) == [], module
