"""Snakemake's own options do what its users know, after `microleak run` as well."""

import json
import re
import zipfile

import pytest

from microleak.base.paths import ROOT
from tests.commands import microleak, snakemake
from tests.examples import long
from tests.workflow.conftest import (
    CSV_STUDY,
    PEOPLE,
    SHORT_STUDY,
    Study,
    elsewhere,
    rules_run,
)

pytestmark = pytest.mark.workflow

PLAIN = (snakemake, f"--snakefile={ROOT}/Snakefile", "--configfile=people.yaml")
RUN = (microleak, "run", "people.yaml", "--verbose", "--")
RULES = (
    *("all", "anonymity", "audit", "blocks", "compare", "count_rows", "deduplicate"),
    *("ingest", "publish", "report", "states"),
)


def said(command, folder, *words):
    call, *given = command
    done = call(*given, *words, folder=folder)
    assert done.returncode == 0, done.output
    return done.output


def study_in(folder, study=SHORT_STUDY):
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return Study(folder, "people", study)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A study that plain Snakemake has finished, on one core of another machine."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "Número 2, cópia").mkdir()
    study = study_in(folder / "Número 2, cópia")
    _, *words = PLAIN
    done = snakemake(*words, "--cores=1", folder=study.folder, **elsewhere(folder))
    assert done.returncode == 0, done.output
    assert rules_run(done.output) == sorted(RULES)
    return study


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The same, which `microleak run` has finished, on one core."""
    study = study_in(tmp_path_factory.mktemp("run"))
    said(RUN, study.folder, "--cores=1")
    return study


@pytest.fixture(scope="module", params=["microleak run", *long("snakemake")])
def asked(request):
    """The study, its bytes, and what says what comes of further options."""
    is_plain = request.param == "snakemake"
    study = request.getfixturevalue("plain" if is_plain else "run")
    command = (*PLAIN, "--cores=1") if is_plain else RUN
    return study, study.bytes(), lambda *words: said(command, study.folder, *words)


def test_both_make_the_same_bytes_wherever_they_do(plain, run):
    assert plain.bytes() == run.bytes()


def test_a_dry_run_says_that_nothing_is_to_be_done(asked):
    study, before, ask = asked
    assert "Nothing to be done" in ask("-n")
    assert study.bytes() == before


def test_the_graph_of_jobs_has_each_job_and_what_it_needs(asked):
    *_, ask = asked
    told = ask("--dag")
    labels = re.findall(r'^\t\d+\[label = "(\w+)', told, re.MULTILINE)
    assert sorted(labels) == sorted(RULES)
    assert told.count(" -> ") > len(labels)


def test_the_summary_has_each_result_with_its_rule_and_nothing_to_update(asked):
    study, _, ask = asked
    lines = [line.split("\t") for line in ask("--summary").splitlines()]
    found = {line[0]: line for line in lines if line[0].startswith("results/")}
    assert {line[2] for line in found.values()} == {*RULES} - {"all"}
    assert {line[-1] for line in found.values()} == {"no update"}
    assert all((study.folder / path).exists() for path in found)


def test_what_is_forced_until_a_rule_is_done_and_nothing_after_it(asked):
    study, before, ask = asked
    assert rules_run(ask("--forcerun", "ingest", "--until", "ingest")) == ["ingest"]
    # What the manifest lists may be others now.
    rest = {name: sha for name, sha in before.items() if name != "manifest.json"}
    assert study.bytes() == rest


def test_what_is_forced_is_done_again_and_the_bytes_are_the_same(asked):
    study, before, ask = asked
    done = rules_run(ask("--forcerun", "report"))
    assert {"report", "audit"} <= set(done)
    assert not {"ingest", "blocks"} & set(done)
    assert study.bytes() == before


def test_what_follows_from_the_same_bytes_is_not_done_again_by_microleak(run):
    before = run.bytes()
    done = rules_run(said(RUN, run.folder, "--forcerun", "ingest"))
    assert done == ["all", "audit", "ingest"]
    assert run.bytes() == before


def shown(path):
    """Files of Snakemake's report, and what its page says: by category, and in all."""
    with zipfile.ZipFile(path) as report:
        page = report.read("report/report.html").decode()
        files = {
            name.split("/", 4)[-1]: report.read(name)
            for name in report.namelist()
            if name != "report/report.html"
        }
    (categories,) = re.findall(r"var categories = (\{.*\});", page)
    return files, json.loads(categories), page


def below(folder, *parts):
    """The files in parts of a study's results, as Snakemake's report names them."""
    others = (".snakemake_timestamp", "published.json")
    return {
        path.relative_to(folder / part).as_posix(): path.read_bytes()
        for part in parts
        for path in (folder / part).rglob("*.*")
        if path.is_file() and path.name not in others
    }


def test_the_report_has_page_and_tables_with_captions_and_nothing_else(asked):
    study, before, ask = asked
    ask("--report", "report.zip")
    files, categories, page = shown(study.folder / "report.zip")
    assert files == below(study.results, "published", "report")
    assert {name: len(*each.values()) for name, each in categories.items()} == {
        "Page": 1,
        "Tables": len(below(study.results, "published")),
    }
    for said_there in (
        "What a release of official microdata gives away",
        "The report, with the tables that it shows beside it.",
        "What the page and the figures are made of.",
    ):
        assert said_there in page
    assert study.bytes() == before


@pytest.mark.long
def test_the_report_has_figures_with_captions_where_there_are(finished):
    command = (microleak, "run", finished.file.name, "--verbose", "--")
    said(command, finished.folder, "--report", "report.zip")
    files, categories, page = shown(finished.folder / "report.zip")
    figures = below(finished.results, "figures/small")
    assert figures.items() <= files.items()
    assert len(*categories["Figures"].values()) == len(figures)
    assert "Analysis small: how well an adversary succeeds" in page


SECRET = "a7141"
PUBLIC = """\
  targets:
    - {name: ana, table: people, focal: "1", known: {age: %s}, sensitive: [ill]}
report:
  languages: [en]
  audience: public
  noise: {epsilon: "1/2", key: people.key}
"""


@pytest.mark.long
def test_of_a_public_study_the_report_has_the_public_page_alone(tmp_path):
    study = study_in(tmp_path, CSV_STUDY)
    people = study.folder / "people.csv"
    people.write_text(people.read_text("utf-8").replace("25", SECRET), "utf-8")
    study.change("report: {languages: [en]}\n", PUBLIC % SECRET)
    (study.folder / "people.key").touch(0o600)
    (study.folder / "people.key").write_bytes(bytes(range(32)))
    said(RUN, study.folder)
    assert (study.results / "confidential/targets/ana.csv").exists()
    said(RUN, study.folder, "--report", "report.zip")
    files, categories, page = shown(study.folder / "report.zip")
    assert files == below(study.results, "report")
    assert [*categories] == ["Page"]
    assert "targets/ana" not in page
    assert not any(SECRET.encode() in each for each in (*files.values(), page.encode()))
