"""The example on plain CSV files: how its files are made, and what it shows."""

import csv
import subprocess
import sys

import pandas as pd
import pytest

from microleak.base.paths import CONFIG
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.identity import is_marked
from tests.assessing import assess
from tests.commands import microleak
from tests.docs.pages import text

EXAMPLE = CONFIG / "examples" / "delimited-demo"
RELEASES = ("survey-2023", "town-2022", "town-2023")


def rows(name):
    with (EXAMPLE / name / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def test_the_program_beside_the_files_makes_their_bytes_again(tmp_path):
    command = [sys.executable, EXAMPLE / "make.py", tmp_path]
    subprocess.run(command, check=True, timeout=60)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted([*RELEASES, "people-2023.csv"])
    for made in tmp_path.rglob("*.*"):
        assert made.read_bytes() == (EXAMPLE / made.relative_to(tmp_path)).read_bytes()


@pytest.mark.parametrize("name", RELEASES)
def test_its_releases_are_known_to_be_synthetic(name):
    assert is_marked(EXAMPLE / name, source_definition("delimited", "2023", {}))


def test_the_page_tells_the_numbers_of_the_files():
    known = [
        (row["sex"], row["birth_year"], row["district"]) for row in rows("survey-2023")
    ]
    n_alone = sum(known.count(values) == 1 for values in known)
    census = rows("town-2022")
    n_persons = len({row["person"] for row in census})
    page = text("docs/own-file.md")
    assert f"finds {n_alone} of the {len(known)} persons unique" in page
    assert f"here {len(census) - n_persons} of {len(census)} in 2022" in page
    assert f"of the {n_persons} persons of 2022" in page


def test_the_page_tells_what_assess_finds_in_the_survey():
    survey = pd.DataFrame(rows("survey-2023"))
    qids = ["sex", "birth_year", "district"]
    found = assess(survey, qids, ["smokes"], "full").set_index("sensitive")
    page = text("docs/own-file.md")
    assert f"finds {found['n_certain'][''].item()} of the {len(survey)} persons" in page
    assert found["n_certain"]["smokes"] == len(survey)
    assert f"certain whether each of the {len(survey)} smokes" in page


@pytest.mark.workflow
@pytest.mark.long
def test_the_page_tells_what_the_study_finds(tmp_path):
    tmp_path.joinpath("config").symlink_to(CONFIG)
    study = "config/examples/delimited-demo.yaml"
    assert microleak("run", study, folder=tmp_path).returncode == 0
    measures = tmp_path / "results" / "delimited-demo" / "measures"

    def last(table, panel=""):
        """Counts with all QIDs, of re-identification or a group."""
        found = pd.read_csv(measures / table, keep_default_na=False)
        if "auxiliary" in found:
            found = found[found["auxiliary"].astype(str) == panel]
        if "sensitive" in found:
            found = found[found["sensitive"] == ""]
        return found.iloc[-1]

    alone, linked = (last("collective/town-2022.csv", panel) for panel in ("", "2023"))
    ill = last("groups/town-2022.csv", "2023")
    asked = last("membership/asked.csv")
    page = text("docs/own-file.md")
    share = 100 * alone["n_certain"] / alone["n_records"]
    said = f"{alone['n_certain']} of the {alone['n_records']} persons of 2022 unique"
    assert f"make {said} ({share:.1f} %)" in page
    assert f"both years finds {linked['n_certain']}." in page
    said = (
        f"{ill['n_certain']} of the {ill['n_members']} persons with a chronic illness"
    )
    assert f"In the panel, {said} are known for certain" in page
    assert f"the {asked['n_sample']} who were asked" in page
    assert f"{asked['n_unique_both']} are unique in survey and town" in page
    assert asked["n_not_found"] == 2
    assert "two are not found" in page
