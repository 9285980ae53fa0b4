"""A study from its file to its manifest, a second run, and less memory."""

import re
from pathlib import Path

import pandas as pd
import pytest

from microleak.base.paths import ROOT
from tests.commands import snakemake
from tests.workflow.conftest import TWIN_STUDY, Study, rules_planned

pytestmark = pytest.mark.workflow
EXPECTED = Path(__file__).parent / "expected"


@pytest.mark.parametrize("table", ["worst/small.csv", "ingest.csv"])
def test_results_of_the_small_twin_are_those_committed(finished, table):
    expected = pd.read_csv(EXPECTED / table, dtype="str")
    found = pd.read_csv(finished.results / "measures" / table, dtype="str")
    # The zip's own bytes depend on the machine's zlib, what is in it does not.
    found = found.drop(columns="sha256", errors="ignore")
    pd.testing.assert_frame_equal(found, expected)


def test_synthetic_results_say_so(finished):
    page = (finished.results / "report/index.html").read_text("utf-8")
    figure = finished.results / "figures/small/success-reidentification.en.svg"
    assert "SYNTHETIC" in page
    assert "SINTÉTICO" in page
    assert "SYNTHETIC" in figure.read_text("utf-8")


def test_without_another_release_the_comparison_is_its_header(finished):
    assert pd.read_csv(finished.results / "measures/comparison.csv").empty


def test_no_time_stamp_stays_in_a_folder_and_plain_snakemake_misses_none(finished):
    assert [*finished.results.rglob(".snakemake*")] == []
    times = [
        (finished.results / name).stat().st_mtime
        for name in ("report", "manifest.json")
    ]
    assert times == sorted(times)
    words = [f"--snakefile={ROOT}/Snakefile", f"--configfile={finished.file.name}"]
    told = snakemake(*words, "-n", "--rerun-triggers=mtime", folder=finished.folder)
    assert "Nothing to be done" in told.output


def test_a_missing_value_is_a_value_and_a_person_counts_once(csv_study):
    wanted = ("measures/collective/people.csv", "measures/ingest.csv")
    csv_study.output_of(words=["--", *(f"results/people/{p}" for p in wanted)])
    found, ingested = (pd.read_csv(csv_study.results / path) for path in wanted)
    full = found[(found.attack == "CRS") & (found.n_qids == 2)].iloc[0]
    assert (full.n_records, full.n_blocks, full.n_certain) == (6, 5, 4)
    counts = ingested.iloc[0]
    assert (counts.n_read, counts.n_kept, counts.n_dropped) == (7, 7, 1)


USED_OF_32_GB = {
    **{"ingest": 2000, "deduplicate": 32000, "profile": 32000},
    **{"states": 1000, "entropy": 1000, "measure": 1000},
}
RULES = tuple(USED_OF_32_GB)


def memory_planned(output):
    found = re.findall(r"rule (\w+):(?:\n    .*)*?mem_mb=([0-9]+)", output)
    return {rule: int(size) for rule, size in found}


def planned(study, *words):
    return memory_planned(study.output_of(words=[*words, "--", "--dry-run", "-p"]))


def test_less_memory_gives_the_same_measures(finished, tmp_path):
    other = Study(tmp_path, "small", TWIN_STUDY)
    other.output_of(words=["--max-memory", "600MiB", "--", "--until", "measure"])
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
    assert rules_planned(finished.output_of(words=words)) == []


def test_a_target_after_the_option_is_a_target(csv_study):
    target = "results/people/tables/people/1.json"
    words = ["--max-memory", "600MiB", "--", target, "--dry-run"]
    assert rules_planned(csv_study.output_of(words=words)) == ["ingest"]
