"""Others have microleak as a module, or find it in the catalogue of workflows."""

import shutil

import pytest
import yaml

from microleak.base.paths import ROOT
from tests.commands import microleak, snakemake
from tests.docs.pages import blocks
from tests.workflow.conftest import PEOPLE, SHORT_STUDY, Study, rules_run

pytestmark = pytest.mark.workflow

SNAKEFILE = """\
configfile: "own.yaml"

module microleak:
    snakefile: "{root}/workflow/Snakefile"
    {further}
    config: config["of_microleak"]

use rule * from microleak as microleak_*

rule size:
    default_target: True
    input:
        manifest=rules.microleak_audit.output.manifest,
        page="results/people/report",
    output:
        "own/size.txt",
    shell:
        "wc -c < {{input.page}}/index.html > {{output}} && "
        "echo {{config[word]}} >> {{output}}"
"""
OWN = "word: mine\nof_microleak: {study_file: people.yaml}\n"


@pytest.fixture
def study(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    write_snakefile(tmp_path)
    return Study(tmp_path, "people", SHORT_STUDY)


def write_snakefile(folder, further=""):
    text = SNAKEFILE.format(root=ROOT, further=further)
    (folder / "Snakefile").write_text(text, encoding="utf-8")


def run(study, *words):
    return snakemake("--cores=2", *words, folder=study.folder)


@pytest.mark.long
def test_its_rules_make_what_microleak_makes_and_those_of_the_other_go_on(study):
    done = run(study)
    assert done.returncode == 0, done.output
    own = ["size"]
    ran = rules_run(done.output)
    assert [rule for rule in ran if not rule.startswith("microleak_")] == own
    assert "microleak_ingest" in ran
    assert "localrules" not in done.output
    size, word = (study.folder / "own/size.txt").read_text().split()
    page = (study.results / "report/index.html").read_bytes()
    assert (int(size), word) == (len(page), "mine")
    # microleak knows the results as its own, and its run would have made the same.
    before = study.bytes()
    again = study.run()
    assert "everything is up to date" in again.output
    assert "Nothing to be done" in run(study, "-n").output
    assert study.bytes() == before


def test_the_workflow_of_the_documentation_would_run_the_study(study):
    found = [b for b in blocks("docs/snakemake.md", "") if "module microleak:" in b]
    (text,) = (each.replace("/path/to/microleak", str(ROOT)) for each in found)
    (study.folder / "Snakefile").write_text(text, encoding="utf-8")
    study.file.rename(study.folder / "study.yaml")
    done = run(study, "-n", "--quiet", "rules")
    assert done.returncode == 0, done.output
    assert "microleak_anonymity" in done.output
    assert "mine" in done.output


def test_a_workflow_may_have_a_module_for_each_of_several_studies(study):
    other = SHORT_STUDY.replace("study: people", "study: other")
    (study.folder / "other.yaml").write_text(other, encoding="utf-8")
    modules = [
        f'module {name}:\n    snakefile: "{ROOT}/{snakefile}"\n'
        f'    config: {{"study_file": "{name}.yaml"}}\n'
        f"use rule * from {name} as {name}_*\n"
        for name, snakefile in (
            ("people", "workflow/Snakefile"),
            ("other", "Snakefile"),
        )
    ]
    targets = ", ".join(f"rules.{name}_all.input" for name in ("people", "other"))
    mine = f"rule mine:\n    default_target: True\n    input: {targets}\n"
    (study.folder / "Snakefile").write_text("\n".join([*modules, mine]))
    done = run(study, "-n")
    assert done.returncode == 0, done.output
    for name in ("people", "other"):
        assert f"results/{name}/tables/people/1.parquet" in done.output
        assert f"{name}_anonymity" in done.output


def test_without_a_study_file_it_says_what_to_write(study, of_microleak, told):
    own = f"word: mine\nof_microleak: {of_microleak}\n"
    (study.folder / "own.yaml").write_text(own, encoding="utf-8")
    done = run(study)
    assert done.returncode == 1
    assert done.output.count(told) == 1
    assert not (study.folder / "results").exists()


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ('prefix: "elsewhere"', "elsewhere/results/people"),
        ('pathvars: results="elsewhere"', "elsewhere"),
    ],
)
def test_results_cannot_be_moved_to_where_their_records_are_not(study, given, place):
    write_snakefile(study.folder, given)
    done = run(study)
    assert done.returncode == 1
    assert f"results/people would be moved to {place}: prefix" in done.output
    assert not (study.folder / "elsewhere").exists()


def test_the_catalogue_finds_what_it_asks_for():
    assert (ROOT / "workflow/Snakefile").is_file()
    assert (ROOT / "config/README.md").is_file()
    told = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text("utf-8"))
    usage = told["usage"]
    assert usage["report"] is True
    assert usage["software-stack-deployment"]["conda"] is True
    option, study = usage["mandatory-flags"]["flags"].split()
    assert option == "--configfile"
    assert (ROOT / study).is_file()


def test_what_snakedeploy_gives_a_module_names_a_study():
    given = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    assert [*given] == ["study_file"]
    assert (ROOT / given["study_file"]).is_file()


@pytest.mark.long
def test_the_study_for_continuous_integration_runs_to_its_report(tmp_path):
    folder = tmp_path / "test"
    shutil.copytree(ROOT / ".test", folder, ignore=shutil.ignore_patterns("results"))
    study = (folder / "config/study.yaml").read_text("utf-8")
    (command,) = (line for line in study.splitlines() if "snakemake --cores" in line)
    words = command.removeprefix("#").replace(".test", str(folder)).split()
    assert words.pop(0) == "snakemake"
    done = snakemake(*words, "--until", "ingest", folder=ROOT)
    assert done.returncode == 0, done.output
    assert rules_run(done.output) == ["ingest", "synthesise"]
    done = microleak("run", "config/study.yaml", folder=folder)
    assert done.returncode == 0, done.output
    page = (folder / "results/test/report/index.html").read_text("utf-8")
    assert "SYNTHETIC" in page
