"""What follows from the papers' own tables is measured again, by their study files."""

import shutil

import pytest
import yaml

from papers.comparison import compare
from papers.country import enlarged
from papers.facts import CONFIG, PAPER, facts
from tests.commands import microleak

TABLES = {"table", "population", "sample"}
"""Keys of an analysis that name its tables."""


def of_printed_tables(study):
    """A study with the tables whose releases are files, and what is asked of them."""
    tables = {
        name: table
        for name, table in study["tables"].items()
        if all("archive" in release for release in table["releases"].values())
    }
    analyses = {
        kind: [each for each in asked if tables_of(each) <= tables.keys()]
        for kind, asked in study["analyses"].items()
    }
    asked = {kind: some for kind, some in analyses.items() if some}
    return study | {
        "tables": tables,
        "analyses": asked,
        "report": {"languages": ["en"]},
    }


def tables_of(analysis):
    named = (analysis[key] for key in TABLES & analysis.keys())
    return {each if isinstance(each, str) else each["table"] for each in named}


@pytest.mark.long
@pytest.mark.workflow
@pytest.mark.parametrize("paper", ["nunes-2021", "rodrigues", "google-sdp"])
def test_numbers_of_printed_tables_are_measured_to_the_last_digit(paper, tmp_path):
    study = yaml.safe_load((CONFIG / f"{paper}.yaml").read_text("utf-8"))
    shutil.copytree(CONFIG / "data", tmp_path / "config/papers/data")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(of_printed_tables(study)))
    words = ["--", "--omit-from", "publish", "draw", "report", "audit"]
    done = microleak("run", "study.yaml", *words, folder=tmp_path)
    assert done.returncode == 0, done.output
    known = [fact for fact in facts(paper) if fact.data == PAPER]
    found = compare(known, tmp_path / "results" / paper)
    assert found
    assert [each for each in found if not each.is_explained] == []


@pytest.mark.parametrize("paper", ["nunes-2021", "gonze-2025"])
def test_sizes_of_the_country_are_of_releases_that_the_twin_makes(paper):
    study = yaml.safe_load((CONFIG / f"{paper}.yaml").read_text("utf-8"))
    sizes = yaml.safe_load((CONFIG / "country.yaml").read_text("utf-8"))[paper]
    for table, releases in sizes.items():
        small = study["tables"][table]["releases"]
        for release, size in releases.items():
            assert small[release]["synthetic"].keys() == size.keys()
            [(name, number)] = size.items()
            assert number > small[release]["synthetic"][name]
    large = enlarged(study, sizes)
    assert {k: v for k, v in large.items() if k not in {"study", "tables"}} == {
        k: v for k, v in study.items() if k not in {"study", "tables"}
    }
