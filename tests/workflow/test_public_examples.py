"""The studies of `config/`, made public, are proved by the run that makes them."""

import json
import shutil

import pytest
import yaml

from microleak.base.paths import ROOT
from scripts.check_certificate import check
from tests.commands import microleak

EXAMPLES = (
    *("school-twin", "higher-education-twin", "examples/datasus-demo"),
    *("examples/pense-twin", "examples/reconstruction-demo", "examples/noise-demo"),
    "examples/delimited-demo",
)
SHOWN = ("collective", "risk_groups", "smallest_protection")
"""Families of which a public page shows anything."""


@pytest.mark.long
@pytest.mark.workflow
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_public_page_of_an_example_is_proved(tmp_path, example):
    file = ROOT / f"config/{example}.yaml"
    study = yaml.safe_load(file.read_text("utf-8"))
    analyses = study["analyses"]
    study["analyses"] = {name: analyses[name] for name in SHOWN if name in analyses}
    study["report"] = {"languages": ["en"], "audience": "public"}
    (tmp_path / file.name).write_text(yaml.safe_dump(study), "utf-8")
    if (folder := file.with_suffix("")).is_dir():
        shutil.copytree(folder, tmp_path / folder.relative_to(ROOT))
    done = microleak("run", file.name, folder=tmp_path)
    assert done.returncode == 0, done.output
    results = tmp_path / "results" / study["study"]
    of_page = json.loads((results / "proofs/public.json").read_text("utf-8"))
    known = json.loads((results / "confidential/public-proof.json").read_text("utf-8"))
    assert [*check(of_page), *check(known["sizes"])] == []
