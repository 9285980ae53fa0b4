"""The workflow's rules show what the steps and jobs of Python make and read.

`microleak run` plans by `Step.makes` and `Job.inputs` and never reads a rule; whoever
reads the pipeline reads the rules. Here Snakemake itself opens them for each study.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from snakemake.api import SnakemakeApi
from snakemake.io import strip_wildcard_constraints
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

from microleak.base.paths import CONFIG, MANIFEST, ROOT
from microleak.families import NAMES
from microleak.study.load import load_study
from microleak.study.outdated import OF_AUDIT, results_of
from microleak.study.pipeline_page import PAGE, documented_rules, shown_rules
from microleak.study.steps import jobs_of, steps_by_rule
from microleak.study_file.keys import make_key
from tests.examples import thinned

OTHERS = """\
study: others
seed: 1
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases:
      "1": {url: "https://example.org/1.csv"}
      "2": {archive: people-2.csv}
analyses:
  collective:
    - name: in-parts
      table: people
      focal: "1"
      qids: [age, sex]
      sensitive: [ill]
      parts: 2
  linkage:
    - name: linked
      table: people
      focal: "1"
      auxiliary: "2"
      stable: [sex]
      drifting: [age]
      qids: [age, sex]
      targets: {someone: {"1": {age: "25"}}}
"""
"""A study of the rules of which no example has a job."""

PUBLIC = """\
study: public
seed: 1
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {"1": {archive: people-1.csv}, "2": {archive: people-2.csv}}
analyses:
  collective:
    - {name: one, table: people, focal: "1", qids: [age, sex], sensitive: [ill]}
    - {name: both, table: people, focal: "1", auxiliary: ["2"], qids: [age, sex]}
  risk_groups: [{name: who, table: people, focal: "1", qids: [age], by: [sex]}]
report:
  audience: public
  noise: {epsilon: "1", key: KEY, groups: {sex: [F, M]}}
"""
"""A study whose counts get noise, by what is exact of all its records."""

FILES = [file.stem for file in ROOT.glob("workflow/rules/*.smk")]
STUDIES = {
    file.stem: file
    for file in (
        *sorted(CONFIG.glob("*-*.yaml")),
        *sorted(CONFIG.glob("examples/*.yaml")),
        *sorted(path.with_suffix(".yaml") for path in CONFIG.glob("papers/*.csv")),
        ROOT / "tests/contract/small-twins.yaml",
    )
} | {"others": None, "public": None}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The rules by their names, as Snakemake has them for a study, and the study."""
    folder = tmp_path_factory.mktemp("others")
    make_key(folder / "key")
    (folder / "others.yaml").write_text(OTHERS, encoding="utf-8")
    public = PUBLIC.replace("KEY", str(folder / "key"))
    (folder / "public.yaml").write_text(public, encoding="utf-8")

    @cache
    def opened(name):
        file = STUDIES[name] or folder / f"{name}.yaml"
        with SnakemakeApi(OutputSettings()) as api:
            workflow = api.workflow(
                ResourceSettings(cores=1),
                ConfigSettings(configfiles=[file]),
                snakefile=ROOT / "Snakefile",
            )._workflow
        here = Path.cwd()
        shown = file.relative_to(here) if file.is_relative_to(here) else file
        return {rule.name: rule for rule in workflow.rules}, load_study(file), shown

    return opened


def named(items):
    """Paths by their names, alone or in lists as scripts have them; no empty list."""
    found = {n: p if isinstance(p, str) else [*map(str, p)] for n, p in items}
    return {n: p for n, p in found.items() if p}


def read_by(job, results, study_file):
    found = {
        name: f"{results}/{path}".rstrip("/")
        if isinstance(path, str)
        else [f"{results}/{each}".rstrip("/") for each in path]
        for name, path in job.inputs.items()
    }
    if job.archive:
        found["archive"] = job.archive.path
    if job.reads_study:
        found["study"] = str(study_file)
    return {n: paths for n, paths in found.items() if paths}


def test_every_step_has_a_rule_that_names_its_results_and_its_script(opened):
    # The first, as functions of rules see the variables of the workflow opened last.
    rules, study, _ = opened(next(iter(STUDIES)))
    assert rules.keys() - {"all"} == steps_by_rule().keys()
    for name, step in steps_by_rule().items():
        output = rules[name].output
        shown = {n: strip_wildcard_constraints(str(p)) for n, p in output.items()}
        made = {n: f"results/{study.name}/{p}" for n, p in step.makes.items()}
        if name == "audit":  # makes its folder of code anew, and the manifest last
            del made["code"]
            made["manifest"] = f"results/{study.name}/{MANIFEST}"
        assert shown == {n: path.rstrip("/") for n, path in made.items()}, name
        folders = {n for n, path in made.items() if path.endswith("/")}
        assert {n for n, p in output.items() if p.is_directory} == folders, name
        assert rules[name].script == f"../../scripts/{name}.py"


@pytest.mark.parametrize("study", thinned(STUDIES))
def test_a_rule_reads_and_makes_what_its_jobs_do(opened, study):
    rules, found, file = opened(study)
    results = f"results/{found.name}"
    for job in jobs_of(found):
        rule, names = rules[job.rule], {**job.names}
        inputs, outputs = rule.expand_input(names)[0], rule.expand_output(names)[0]
        made = {n: f"{results}/{p}".rstrip("/") for n, p in job.outputs.items()}
        assert dict(outputs.items()) == made, job.title
        assert named(inputs.items()) == read_by(job, results, file), job.title
        by_name = named(inputs.items()).values()
        n_named = sum(1 if isinstance(p, str) else len(p) for p in by_name)
        assert n_named == len(inputs), f"{job.title} reads what has no name"
        log = "/".join(("logs", job.rule, *job.names.values()))
        assert [*rule.expand_log(names)] == [f"{results}/{log}.log"]
    audited = results_of(found) - OF_AUDIT
    inputs = rules["audit"].expand_input({})[0]
    assert {*inputs} == {str(file), *(f"{results}/{path}" for path in audited)}


@pytest.mark.parametrize("study", STUDIES)
def test_what_a_rule_shows_of_its_inputs_is_the_pattern_of_each(opened, study):
    """Also where the study file decides, and a comment beside a function tells."""
    _, found, _ = opened(study)
    shown = {
        (rule.name, name): [
            re.sub(r"[{]\w+[}]|[A-Z]+", "[^/]+", each) for each in paths
        ]
        for rule in shown_rules(*FILES)
        for name, paths in rule.inputs.items()
    }
    for job in jobs_of(found):
        for name, path in job.reads:
            patterns = shown[job.rule, name]
            assert any(re.fullmatch(each, path.rstrip("/")) for each in patterns), (
                job.title,
                path,
            )


def test_there_is_a_study_with_a_job_of_every_rule(opened):
    found = {job.rule for study in STUDIES for job in jobs_of(opened(study)[1])}
    assert found == steps_by_rule().keys() - {"audit"}


def test_every_file_of_rules_is_included_and_families_in_their_order():
    text = (ROOT / "workflow/Snakefile").read_text("utf-8")
    included = re.findall(r'^include: "rules/(\w+)[.]smk"$', text, re.M)
    assert sorted(included) == sorted(FILES)
    assert [name for name in included if name in NAMES] == [*NAMES]


def test_the_page_of_the_pipeline_shows_the_rules_as_they_are():
    page = PAGE.read_text(encoding="utf-8")
    assert documented_rules(page) == page, "run make docs"
