"""Another workflow has microleak as a module, under names of its own."""

import pytest

from microleak.base.paths import ROOT
from tests.commands import snakemake
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
    """A study in the folder of another workflow."""
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


def test_without_a_study_file_it_says_what_to_write_and_runs_no_study(
    study, of_microleak, told
):
    own = f"word: mine\nof_microleak: {of_microleak}\n"
    (study.folder / "own.yaml").write_text(own, encoding="utf-8")
    done = run(study)
    assert done.returncode == 1
    assert done.output.count(told) == 1
    assert not (study.folder / "results").exists()


def test_results_cannot_be_moved_to_where_their_records_are_not(study):
    write_snakefile(study.folder, 'prefix: "elsewhere"')
    done = run(study)
    assert done.returncode == 1
    assert "results/people would be moved to elsewhere/results/people" in done.output
    assert not (study.folder / "elsewhere").exists()
