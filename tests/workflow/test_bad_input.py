"""A faulty release: one line that says what and where, and nothing left behind."""

import pytest

from tests.workflow.conftest import PEOPLE

pytestmark = pytest.mark.workflow


def last_line(output):
    return output.strip().splitlines()[-1]


def refused(study):
    """Run a study that must fail; return the last line that it says."""
    process = study.run()
    assert process.returncode != 0
    produced = [path for path in study.bytes() if not path.startswith("raw/")]
    assert produced == [], "something was written from a refused release"
    hidden = [path for path in study.results.rglob(".*") if path.name != ".lock"]
    assert hidden == [], "something half-written is left behind"
    return last_line(process.output)


def test_a_missing_archive(csv_study):
    (csv_study.folder / "people.csv").unlink()
    assert refused(csv_study) == (
        "microleak: people.yaml: people 1: there is no archive people.csv. "
        "Correct archive, or run where it is."
    )


def test_a_wrong_hash(csv_study):
    wrong = "0" * 64
    csv_study.change("people.csv", f"people.csv, sha256: '{wrong}'")
    line = refused(csv_study)
    assert line.startswith("microleak: people.csv")
    assert wrong in line


def test_an_attribute_that_the_file_does_not_have(csv_study):
    csv_study.change("[age, sex]", "[age, sexo]")
    line = refused(csv_study)
    assert "people.csv" in line
    assert "sexo" in line


def test_a_long_row(csv_study):
    text = PEOPLE.replace("3,25,M,yes", "3,25,M,yes,secret")
    (csv_study.folder / "people.csv").write_text(text, encoding="utf-8")
    line = refused(csv_study)
    assert "people.csv: line 4 has 5 values, 4 expected" in line
    assert "secret" not in line


def test_a_person_without_identifier(csv_study):
    text = PEOPLE.replace("3,25,M,yes", ",25,M,yes")
    (csv_study.folder / "people.csv").write_text(text, encoding="utf-8")
    line = refused(csv_study)
    assert "people.csv: line 4: id must be" in line


def test_an_attribute_that_was_not_released_that_year(twin_study):
    twin_study.change("2018:", "2019:")
    twin_study.change("focal: 2018", "focal: 2019")
    line = refused(twin_study)
    assert "inep_school_census 2019 does not have NU_DIA: it was not released" in line


def test_a_wrong_study_file_is_refused_before_anything_runs(csv_study):
    csv_study.change("seed:", "sed:")
    process = csv_study.run()
    assert process.returncode == 1
    assert process.output.count("\n") == 1
    assert "did you mean 'seed'" in process.output
    assert not csv_study.results.exists()
