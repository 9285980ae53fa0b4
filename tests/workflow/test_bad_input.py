"""A faulty release: one line that says what and where, and nothing left behind.

Two faults are met by a job of a study and three before any job begins.
"""

import pytest

from microleak.run.display import LOG as LOG_OF_RUN
from tests.workflow.conftest import PEOPLE

pytestmark = pytest.mark.workflow
LOG = "logs/ingest/people/1.log"
SECRET = "secret"


def left_of(folder):
    """Files below a folder that hold anything, hidden ones too, but Snakemake's log."""
    # Of a job that succeeds Snakemake leaves an empty log.
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_size and path != folder / LOG_OF_RUN
    )


def refused(study, log):
    process = study.run()
    assert process.returncode == 1
    assert "Traceback" not in process.output
    line = process.output.splitlines()[-1].removeprefix("microleak: ")
    assert (study.results / log).read_text(encoding="utf-8") == f"{line}\n"
    assert left_of(study.results) == [log]
    hidden = [path.name for path in study.results.rglob(".*")]
    assert hidden == [], "something half-written is left behind"
    return line


def test_a_wrong_hash_or_a_long_row(csv_study):
    wrong = "0" * 64
    csv_study.change("people.csv", f"people.csv, sha256: '{wrong}'")
    line = refused(csv_study, LOG)
    assert line.startswith("people.csv")
    assert wrong in line
    csv_study.change(f", sha256: '{wrong}'", "")
    text = PEOPLE.replace("3,25,M,yes", f"3,25,M,yes,{SECRET}")
    (csv_study.folder / "people.csv").write_text(text, encoding="utf-8")
    line = refused(csv_study, LOG)
    assert "people.csv: line 4 has 5 values, 4 expected" in line
    assert SECRET not in line


def test_an_attribute_that_was_not_released_that_year(twin_study):
    twin_study.change("2018:", "2019:")
    twin_study.change("focal: 2018", "focal: 2019")
    process = twin_study.run()
    assert process.returncode == 1
    line = process.output.splitlines()[-1]
    assert "inep_school_census 2019 does not have NU_DIA: it was not released" in line
    assert not twin_study.results.exists()


def test_a_missing_archive_is_refused_before_anything_runs(csv_study):
    (csv_study.folder / "people.csv").unlink()
    process = csv_study.run()
    assert process.output == (
        "microleak: people.yaml: people 1: there is no archive people.csv. "
        "Correct archive, or run where it is.\n"
    )
    assert not csv_study.results.exists()
