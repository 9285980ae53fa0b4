"""Outpatient data from months of files, local or behind FTP, to the report."""

import csv

import pytest

from tests.sources.dbc_files import month_table, packed, written, year_of_files
from tests.sources.ftp_office import serving
from tests.workflow.conftest import Study, rules_run

pytestmark = pytest.mark.workflow

TEXT = """\
study: outpatient
seed: 3
tables:
  sia_pa:
    source: datasus_sia_pa
    releases:
      RR-2023: ORIGIN
analyses:
  collective:
    - name: roraima
      table: sia_pa
      focal: RR-2023
      qids: [PA_SEXO, PA_RACACOR, PA_IDADE]
      sensitive: [PA_PROC_ID]
report: {languages: [en]}
"""
JANUARY = packed(
    month_table(
        {},
        {"PA_PROC_ID": "0301010048"},
        {"PA_IDADE": "041", "PA_RACACOR": "99"},
        {"PA_SEXO": "", "PA_RACACOR": "99"},
    )
)
REMOVED = """\
table,release,attribute,reason,n_rows,share_of_read
sia_pa,RR-2023,PA_SEXO,missing,1,0.038461538461538464
sia_pa,RR-2023,PA_SEXO,outside,0,0.0
sia_pa,RR-2023,PA_RACACOR,missing,0,0.0
sia_pa,RR-2023,PA_RACACOR,outside,2,0.07692307692307693
sia_pa,RR-2023,PA_IDADE,missing,0,0.0
sia_pa,RR-2023,PA_IDADE,outside,0,0.0
sia_pa,RR-2023,PA_PROC_ID,missing,0,0.0
sia_pa,RR-2023,PA_PROC_ID,outside,0,0.0
sia_pa,RR-2023,,deleted,0,0.0
sia_pa,RR-2023,,any,2,0.07692307692307693
"""


def files():
    return year_of_files() | {"PARR2301.dbc": JANUARY}


def study_of(folder, origin):
    return Study(folder, "outpatient", TEXT.replace("ORIGIN", origin))


def ran(study, *words):
    process = study.run(words=words)
    assert process.returncode == 0, process.output
    return rules_run(process.output)


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_folder_of_months_gives_a_report_and_what_was_removed(tmp_path):
    written(tmp_path / "RR", files())
    study = study_of(tmp_path, "{archive: RR, n_rows: 26}")
    ran(study)
    measures = study.results / "measures"
    assert (measures / "removed.csv").read_text("utf-8") == REMOVED
    (counts,) = rows_of(measures / "ingest.csv")
    assert (counts["n_read"], counts["n_kept"], counts["n_records"]) == (
        "26",
        "24",
        "24",
    )
    full = [
        row
        for row in rows_of(measures / "collective" / "roraima.csv")
        if row["n_qids"] == "3" and row["sensitive"]
    ]
    assert [(row["n_records"], row["n_modal"]) for row in full] == [("24", "23")]
    assert (study.results / "report" / "index.html").exists()
    assert study.run("verify", file="results/outpatient").returncode == 0
    assert ran(study) == []


def test_a_month_that_is_replaced_is_read_again(tmp_path):
    written(tmp_path / "RR", files())
    study = study_of(tmp_path, "{archive: RR}")
    ran(study)
    written(tmp_path / "RR", {"PARR2301.dbc": year_of_files()["PARR2301.dbc"]})
    assert "ingest" in ran(study)


def test_a_release_behind_ftp_gives_the_same_bytes_as_its_folder(tmp_path):
    local, remote = tmp_path / "local", tmp_path / "remote"
    written(local / "RR-2023", files())
    remote.mkdir()
    here = study_of(local, "{archive: RR-2023}")
    ran(here)
    written(tmp_path / "server" / "dissemin" / "Dados", files())
    with serving(tmp_path / "server") as office:
        office.faults = [100]
        there = study_of(remote, f"{{url: '{office.url}'}}")
        assert "collect" in ran(there)
    assert ("PARR2301.dbc", 100) in office.asked
    folder = there.results / "raw" / "url" / "sia_pa" / "RR-2023"
    names = {*files(), "SHA256SUMS", "complete.txt", "listing.json"}
    assert {path.name for path in folder.iterdir()} == names
    mine = {k: v for k, v in there.bytes().items() if not k.startswith("raw/")}
    # The manifest says where the files came from.
    assert mine | {"manifest.json": ""} == here.bytes() | {"manifest.json": ""}
    assert ran(there) == []


def test_a_release_that_was_fetched_is_not_fetched_again(tmp_path):
    written(tmp_path / "server" / "dissemin" / "Dados", files())
    with serving(tmp_path / "server") as office:
        study = study_of(tmp_path, f"{{url: '{office.url}'}}")
        ran(study)
    before = study.bytes()
    # The server is down now.
    done = ran(study, "--", "--forcerun", "collect")
    assert "collect" in done
    assert study.bytes() == before


def test_a_fetched_month_that_was_changed_is_refused_by_name(tmp_path):
    written(tmp_path / "server" / "dissemin" / "Dados", files())
    with serving(tmp_path / "server") as office:
        study = study_of(tmp_path, f"{{url: '{office.url}'}}")
        ran(study)
    folder = study.results / "raw" / "url" / "sia_pa" / "RR-2023"
    (folder / "PARR2302.dbc").write_bytes(packed(month_table({})))
    process = study.run(words=("--", "--forcerun", "ingest"))
    assert process.returncode == 1
    line = process.output.splitlines()[-1]
    assert "RR-2023: PARR2302.dbc has SHA-256" in line
    assert "when first seen (SHA256SUMS): it was changed" in line


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"PARR2305.dbc": None}, "RR: RR-2023 has no file of month 05."),
        ({"PARR2305.dbc": b"<html>"}, "RR: PARR2305.dbc is a web page, not a release"),
        ({"PARR2305.dbc": JANUARY[:-4]}, "RR: PARR2305.dbc is damaged or cut short"),
    ],
)
def test_a_faulty_release_leaves_one_line_and_no_table(tmp_path, change, words):
    given = {k: v for k, v in (files() | change).items() if v is not None}
    written(tmp_path / "RR", given)
    study = study_of(tmp_path, "{archive: RR}")
    process = study.run()
    assert process.returncode == 1
    assert "Traceback" not in process.output
    assert words in process.output.splitlines()[-1]
    log = study.results / "logs" / "ingest" / "sia_pa" / "RR-2023.log"
    assert words in log.read_text("utf-8")
    assert list((study.results / "tables").rglob("*.*")) == []
