"""One more release runs what is new, and nothing of the others."""

import pandas as pd
import pytest

from microleak.audit.manifest import verify
from tests.workflow.conftest import PEOPLE
from tests.workflow.workshop import Workshop

pytestmark = pytest.mark.usefixtures("plain_pages")

STUDY = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases:
      2016: {archive: people-2016.csv}
analyses:
  collective:
    - {name: y2016, table: people, focal: 2016, qids: [age, sex], sensitive: [ill]}
report: {languages: [en]}
"""
AFTER_MEASURES = [
    *("audit", "compare", "count_rows", "draw", "importance", "measure"),
    *("ingest", "deduplicate", "profile", "publish", "report", "states"),
]


def with_release(text, year):
    line = f"      {year}: {{archive: people-{year}.csv}}\n"
    return text.replace("analyses:", f"{line}analyses:")


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Run a study to its end; each release has one more old person."""
    monkeypatch.chdir(tmp_path)
    for year in (2016, 2017, 2018):
        older = PEOPLE + f"7,{year - 1946},F,no\n"
        (tmp_path / f"people-{year}.csv").write_text(older, encoding="utf-8")

    def start(text):
        study = Workshop(text)
        study.run()
        return study

    return start


def times(study, *patterns):
    """When each file that has one of these names was written."""
    return {
        path.relative_to(study.results).as_posix(): path.stat().st_mtime_ns
        for pattern in patterns
        for path in study.results.glob(pattern)
        if path.is_file()
    }


def test_a_new_release_with_its_analysis_runs_nothing_of_the_others(started):
    study = started(STUDY)
    of_2016 = ("*/people/2016*", "*/y2016/*", "measures/*/y2016*")
    before = times(study, *of_2016)
    kinds = {path.partition("/")[0] for path in before}
    assert kinds == {"tables", "people", "profiles", "measures", "figures"}
    (analysis,) = (line for line in STUDY.splitlines() if "name:" in line)
    study.change("report:", f"{analysis.replace('2016', '2017')}\nreport:")
    study.file.write_text(with_release(study.file.read_text(), 2017))
    assert sorted(study.run()) == sorted([*AFTER_MEASURES, "entropy"])
    assert times(study, *of_2016) == before
    compared = pd.read_csv(study.results / "measures/comparison.csv")
    years = set(zip(compared["earlier"], compared["later"], strict=True))
    assert years == {(2016, 2017)}
    assert len(compared) == 3 * 2
    assert verify(study.results) > 0


def test_one_more_linked_release_runs_one_join_and_one_profile(started):
    linked = STUDY.replace("focal: 2016", "focal: 2016, auxiliary: [2017]")
    study = started(with_release(linked, 2017))
    kept = ("tables/**/*", "people/**/*", "panels/**/*", "profiles/**/*")
    before = times(study, *kept)
    study.change("auxiliary: [2017]", "auxiliary: [2017, 2018]")
    study.file.write_text(with_release(study.file.read_text(), 2018))
    assert sorted(study.run()) == sorted([*AFTER_MEASURES, "join", "gain"])
    after = times(study, *kept)
    assert {path: after[path] for path in before} == before
    added = after.keys() - before.keys()
    assert {path for path in added if path.endswith(".parquet")} == {
        *("tables/people/2018.parquet", "people/people/2018.parquet"),
        "panels/people/2016/2018.parquet",
        "profiles/y2016/2016+2017+2018.parquet",
    }
    gained = pd.read_csv(study.results / "measures/gain/y2016.csv", dtype="str")
    full = gained[(gained["attack"].isin(["CRS", "CRL"])) & (gained["n_qids"] == "2")]
    assert full["auxiliary"].fillna("").tolist() == ["", "2017", "2017|2018"]
    assert full["gain_det"].isna().tolist() == [True, False, False]
    assert verify(study.results) > 0
