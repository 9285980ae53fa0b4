"""Memory as a setting: it reaches the rules, and results do not depend on it."""

import re

import pytest

from microleak.base.paths import ROOT
from tests.commands import snakemake
from tests.workflow.conftest import TWIN_STUDY, Study, rules_planned

pytestmark = pytest.mark.workflow
USED_OF_32_GB = {
    **{"ingest": 2000, "deduplicate": 32000, "profile": 32000},
    **{"states": 1000, "entropy": 1000, "measure": 1000},
}
RULES = tuple(USED_OF_32_GB)


def memory_planned(output):
    """The memory in MB that a dry run's output shows for rules that declare it."""
    found = re.findall(r"rule (\w+):(?:\n    .*)*?mem_mb=([0-9]+)", output)
    return {rule: int(size) for rule, size in found}


def planned(study, *words):
    process = study.run(words=[*words, "--", "--dry-run", "-p"])
    assert process.returncode == 0, process.output
    return memory_planned(process.output)


def test_less_memory_gives_the_same_measures(finished, tmp_path):
    other = Study(tmp_path, "small", TWIN_STUDY)
    process = other.run(words=["--max-memory", "600MiB", "--", "--until", "measure"])
    assert process.returncode == 0, process.output
    made = other.bytes()
    assert "measures/collective/small.csv" in made
    assert made.items() <= finished.bytes().items()


def test_a_limit_of_memory_is_every_rule_s(csv_study):
    told = planned(csv_study, "--max-memory", "600MiB")
    assert {*RULES} <= told.keys()
    assert {*told.values()} == {629}


def test_rules_that_use_what_they_are_told_are_told_more(csv_study):
    told = planned(csv_study, "--max-memory", "32GB")
    assert {rule: told[rule] for rule in RULES} == USED_OF_32_GB


def test_plain_snakemake_tells_one_rule(csv_study):
    line = [f"--snakefile={ROOT}/Snakefile", "--configfile=people.yaml"]
    words = ["--set-resources", "profile:mem_mb=2000", "--dry-run", "--quiet", "host"]
    done = snakemake(*line, *words, folder=csv_study.folder)
    assert memory_planned(done.output)["profile"] == 2000


def test_too_little_memory_is_refused_in_one_line(csv_study):
    process = csv_study.run(words=["--max-memory", "50MB"])
    assert process.returncode == 1
    assert "Traceback" not in process.output
    assert process.output.splitlines()[-1].startswith("microleak: ")
    assert "memory" in process.output.splitlines()[-1]


def test_other_memory_reruns_nothing(finished):
    words = ["--max-memory", "700MiB", "--", "--dry-run"]
    process = finished.run(words=words)
    assert process.returncode == 0, process.output
    assert rules_planned(process.output) == []


def test_a_target_after_the_option_is_a_target(csv_study):
    target = "results/people/tables/people/1.json"
    words = ["--max-memory", "600MiB", "--", target, "--dry-run"]
    process = csv_study.run(words=words)
    assert process.returncode == 0, process.output
    assert rules_planned(process.output) == ["ingest"]
