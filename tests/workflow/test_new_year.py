"""One more release runs what is new, and nothing of the others."""

import pandas as pd
import pytest

from microleak.audit.manifest import verify
from tests.workflow.conftest import PEOPLE, Study, rules_run

pytestmark = pytest.mark.workflow

YEARS = """\
study: years
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases:
      2018: {archive: people-2018.csv}
analyses:
  collective:
    - {name: y2018, table: people, focal: 2018, qids: [age, sex], sensitive: [ill]}
report: {languages: [en]}
"""
PANEL = """\
study: panel
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases:
      2016: {archive: people-2016.csv}
      2017: {archive: people-2017.csv}
analyses:
  collective:
    - name: linked
      table: people
      focal: 2016
      auxiliary: [2017]
      qids: [age, sex]
      sensitive: [ill]
report: {languages: [en]}
"""
AFTER_MEASURES = [
    *("all", "audit", "compare", "count_rows", "draw", "importance", "measure"),
    *("publish", "report"),
]


def run(study):
    process = study.run()
    assert process.returncode == 0, process.output
    return rules_run(process.output)


def started(folder, name, text, releases):
    """A study that ran to its end; each release has one more old person."""
    for number, release in enumerate(releases):
        older = PEOPLE + f"7,{70 + number},F,no\n"
        (folder / f"people-{release}.csv").write_text(older, encoding="utf-8")
    study = Study(folder, name, text)
    run(study)
    return study


def times(study, *patterns):
    """When each file that has one of these names was written."""
    return {
        path: path.stat().st_mtime_ns
        for pattern in patterns
        for path in study.results.glob(pattern)
        if path.is_file()
    }


def test_a_new_release_with_its_analysis_runs_nothing_of_the_others(tmp_path):
    study = started(tmp_path, "years", YEARS, [2018, 2019])
    of_2018 = ("*/people/2018*", "*/y2018/*", "measures/*/y2018*")
    before = times(study, *of_2018)
    kinds = {path.relative_to(study.results).parts[0] for path in before}
    assert kinds == {"tables", "people", "profiles", "measures", "figures"}
    analysis = "    - {name: y2018, table: people, focal: 2018"
    study.change("analyses:", "      2019: {archive: people-2019.csv}\nanalyses:")
    study.change(
        "report:",
        f"{analysis.replace('2018', '2019')}, qids: [sex, age],"
        " sensitive: [ill]}\nreport:",
    )
    assert run(study) == sorted(
        [*AFTER_MEASURES, "ingest", "deduplicate", "profile", "entropy", "states"]
    )
    assert times(study, *of_2018) == before
    compared = pd.read_csv(study.results / "measures/comparison.csv")
    assert set(zip(compared["earlier"], compared["later"], strict=True)) == {
        (2018, 2019)
    }
    assert len(compared) == 3 * 2
    assert verify(study.results) > 0


@pytest.mark.long
def test_one_more_linked_release_runs_one_join_and_one_profile(tmp_path):
    study = started(tmp_path, "panel", PANEL, [2016, 2017, 2018])
    kept = ("tables/**/*", "people/**/*", "panels/**/*", "profiles/**/*")
    before = times(study, *kept)
    study.change("analyses:", "      2018: {archive: people-2018.csv}\nanalyses:")
    study.change("auxiliary: [2017]", "auxiliary: [2017, 2018]")
    assert run(study) == sorted(
        [*AFTER_MEASURES, "ingest", "deduplicate", "join", "profile", "gain", "states"]
    )
    after = times(study, *kept)
    assert {path: after[path] for path in before} == before
    added = {path.relative_to(study.results).as_posix() for path in after} - {
        path.relative_to(study.results).as_posix() for path in before
    }
    assert {path for path in added if path.endswith(".parquet")} == {
        "tables/people/2018.parquet",
        "people/people/2018.parquet",
        "panels/people/2016/2018.parquet",
        "profiles/linked/2016+2017+2018.parquet",
    }
    gained = pd.read_csv(study.results / "measures/gain/linked.csv", dtype="str")
    full = gained[(gained["attack"].isin(["CRS", "CRL"])) & (gained["n_qids"] == "2")]
    assert full["auxiliary"].fillna("").tolist() == ["", "2017", "2017|2018"]
    assert full["gain_det"].isna().tolist() == [True, False, False]
    assert verify(study.results) > 0
