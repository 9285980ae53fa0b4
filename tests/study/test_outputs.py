"""A study's results are those of its own rules, whatever ran before."""

import pytest

from microleak.study.load import load_study
from microleak.study.outdated import outputs_of, remove_leftovers

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases: {1: {archive: people.csv}, 2: {archive: more.csv}, 3: {archive: most.csv}}
    options: {person_id: id}
analyses:
  collective:
    - {name: one, table: people, focal: 1, auxiliary: [3], qids: [age]}
  targets:
    - {name: she, table: people, focal: 1, known: {age: "25"}}
"""
RECORDS = """
compare count_rows deduplicate/people/1 deduplicate/people/3 draw/one entropy/one
gain/one importance/one ingest/people/1 ingest/people/3 join/people/1/3 measure/one
profile/one/1+3 profile/one/1 publish report states target/she
"""
OUTPUTS = """
confidential/targets/she-further.csv confidential/targets/she.csv figures/one
measures/collective/one.csv measures/comparison.csv measures/csv-metadata.json
measures/distribution/one.csv measures/entropy/one.csv measures/explained.csv
measures/gain/one.csv measures/importance/one.csv measures/ingest.csv
measures/removed.csv measures/states.csv measures/success/one.parquet
measures/values/one.csv measures/worst/one.csv panels/people/1/3.json
panels/people/1/3.parquet people/people/1.json people/people/1.parquet
people/people/3.json people/people/3.parquet profiles/one/1+3.parquet
profiles/one/1.parquet published report ro-crate-metadata.json tables/people/1.json
tables/people/1.parquet tables/people/3.json tables/people/3.parquet
"""
OUTPUTS = sorted([*OUTPUTS.split(), *(f"records/{n}.json" for n in RECORDS.split())])


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "demo.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return load_study(path)


def written(folder, paths):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


def found(folder):
    return sorted(
        p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()
    )


def test_outputs_are_those_of_the_analyses_targets_and_releases_they_use(study):
    assert sorted(outputs_of(study)) == OUTPUTS


def test_an_analysis_with_groups_has_a_table_of_them(tmp_path):
    path = tmp_path / "demo.yaml"
    groups = "groups: {old: {attribute: job, values: [none]}}\nanalyses:"
    text = STUDY.replace("analyses:", groups).replace("auxiliary: [3]", "groups: [old]")
    path.write_text(text, encoding="utf-8")
    assert "measures/groups/one.csv" in outputs_of(load_study(path))


def test_a_public_study_has_no_figures_of_exact_numbers(tmp_path):
    path = tmp_path / "demo.yaml"
    key = tmp_path / "key"
    key.touch(0o600)
    key.write_bytes(bytes(range(32)))
    noise = f'{{epsilon: "1/2", key: {key}}}'
    public = f"report: {{audience: public, noise: {noise}}}\n"
    path.write_text(STUDY + public, encoding="utf-8")
    outputs = outputs_of(load_study(path))
    assert not any("figures" in path or "draw" in path for path in outputs)
    assert {"report", "measures/collective/one.csv"} <= outputs


def test_results_of_removed_analyses_and_releases_go_with_folders(study, tmp_path):
    folders = {"figures/one", "published", "report"}
    inside = ["figures/one/success-x.en.svg", "published/a.csv", "report/index.html"]
    own = sorted([*(path for path in OUTPUTS if path not in folders), *inside])
    leftovers = [
        *("measures/worst/two.csv", "profiles/two/1.parquet"),
        *("profiles/one/1+2.parquet", "panels/people/1/2.json"),
        *("panels/gone/1/3.parquet", "confidential/targets/he-further.csv"),
        *("tables/people/2.parquet", "people/gone/1.json"),
        *("figures/two/success-x.en.svg", "figures/two/.snakemake_timestamp"),
        *("records/profile/two/1.json", "records/gain/two.json"),
        *("measures/risk_groups/two.csv", "measures/table_rebuilding/two.csv"),
    ]
    folder = tmp_path / "results"
    written(folder, [*own, *leftovers])
    remove_leftovers(folder, outputs_of(study))
    assert found(folder) == own
    assert not (folder / "figures/two").exists()
    assert not (folder / "people/gone").exists()
    assert not (folder / "panels/gone").exists()


def test_results_of_the_last_target_go_with_both_their_folders(study, tmp_path):
    folder = tmp_path / "results"
    written(folder, ["confidential/targets/she.csv"])
    remove_leftovers(folder, {"report"})
    assert list(folder.iterdir()) == []


def test_a_file_that_no_rule_could_have_made_stays(study, tmp_path):
    foreign = [
        *("notes.txt", "measures/notes.csv", "figures/two/notes.txt"),
        *("logs/profile/two.log", "raw/url/people/2", "tables/people/2.txt"),
    ]
    written(tmp_path / "results", foreign)
    remove_leftovers(tmp_path / "results", outputs_of(study))
    assert found(tmp_path / "results") == sorted(foreign)


def test_nothing_beside_the_studys_folder_is_removed(study, tmp_path):
    beside = ["other/profiles/two/1.parquet", "profiles/two/1.parquet"]
    written(tmp_path / "results", beside)
    remove_leftovers(tmp_path / "results/demo", outputs_of(study))
    assert found(tmp_path / "results") == sorted(beside)
