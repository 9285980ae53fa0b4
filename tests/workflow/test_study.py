"""A study from its file to its manifest, and what a second run does."""

from pathlib import Path

import pandas as pd
import pytest

from microleak.base.paths import ROOT
from tests.commands import snakemake

pytestmark = pytest.mark.workflow
EXPECTED = Path(__file__).parent / "expected"


@pytest.mark.parametrize("table", ["worst/small.csv", "ingest.csv"])
def test_results_of_the_small_twin_are_those_committed(finished, table):
    expected = pd.read_csv(EXPECTED / table, dtype="str")
    found = pd.read_csv(finished.results / "measures" / table, dtype="str")
    # The zip's own bytes depend on the machine's zlib, what is in it does not.
    found = found.drop(columns="sha256", errors="ignore")
    pd.testing.assert_frame_equal(found, expected)


def test_every_promised_result_is_there(finished):
    for path in (
        "report/index.html",
        "measures/collective/small.csv",
        "measures/success/small.parquet",
        "measures/distribution/small.csv",
        "profiles/small/2018.parquet",
        "figures/small/success-reidentification.pt.svg",
    ):
        assert (finished.results / path).stat().st_size > 0, path


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
    process = csv_study.run(words=["--", *(f"results/people/{p}" for p in wanted)])
    assert process.returncode == 0, process.output
    found, ingested = (pd.read_csv(csv_study.results / path) for path in wanted)
    full = found[(found.attack == "CRS") & (found.n_qids == 2)].iloc[0]
    assert (full.n_records, full.n_blocks, full.n_certain) == (6, 5, 4)
    counts = ingested.iloc[0]
    assert (counts.n_read, counts.n_kept, counts.n_dropped) == (7, 7, 1)
