"""Outpatient data from months of files, local or behind FTP, to the report."""

import csv

import pytest

from microleak.audit.manifest import verify
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
groups:
  severe: {attribute: PA_PROC_ID, values: ["0301010048", "0304*"]}
analyses:
  collective:
    - name: lines
      table: sia_pa
      focal: all
      qids: [PA_SEXO, PA_RACACOR, PA_IDADE]
      sensitive: [PA_PROC_ID]
      groups: [severe]
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
AFTER_PROFILE = [
    *("profile", "measure", "importance", "entropy", "groups", "draw"),
    *("compare", "states", "publish", "report", "audit", "all"),
]


def files():
    return year_of_files() | {"PARR2301.dbc": JANUARY}


def study_of(folder, origin):
    return Study(folder, "outpatient", TEXT.replace("ORIGIN", origin))


def ran(study, *words):
    return rules_run(study.output_of(words=words))


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The study of a folder of months, run once; tests change copies of it."""
    folder = tmp_path_factory.mktemp("local")
    written(folder / "RR-2023", files())
    study = study_of(folder, "{archive: RR-2023, n_rows: 26}")
    ran(study)
    return study


@pytest.fixture(scope="module")
def fetched(tmp_path_factory):
    """The same study behind FTP, run once; then the server is down."""
    folder = tmp_path_factory.mktemp("fetched")
    server = tmp_path_factory.mktemp("server")
    written(server / "dissemin" / "Dados", files())
    with serving(server) as office:
        office.faults = [100]
        study = study_of(folder, f"{{url: '{office.url}'}}")
        assert "collect" in ran(study)
    assert ("PARR2301.dbc", 100) in office.asked
    return study


def test_a_folder_of_months_gives_a_report_and_what_was_removed(local):
    measures = local.results / "measures"
    assert (measures / "removed.csv").read_text("utf-8") == REMOVED
    (counts,) = rows_of(measures / "ingest.csv")
    assert (counts["n_read"], counts["n_kept"], counts["n_records"]) == (
        "26",
        "24",
        "24",
    )
    full = [
        row
        for row in rows_of(measures / "collective" / "lines-RR-2023.csv")
        if row["n_qids"] == "3" and row["sensitive"]
    ]
    assert [(row["n_records"], row["n_modal"]) for row in full] == [("24", "23")]
    (severe,) = [
        row
        for row in rows_of(measures / "groups" / "lines-RR-2023.csv")
        if row["n_qids"] == "3"
    ]
    counts = [severe[name] for name in ("n_members", "n_certain", "n_likely")]
    assert (severe["group"], counts) == ("severe", ["1", "0", "0"])
    assert severe["posterior_prob"] == "0.5"
    assert (local.results / "report" / "index.html").exists()
    assert local.run("verify", file="results/outpatient").returncode == 0
    assert ran(local) == []


def test_a_month_that_is_replaced_is_read_again(local, tmp_path):
    study = local.copy(tmp_path)
    study.change(", n_rows: 26", "")
    written(tmp_path / "RR-2023", {"PARR2301.dbc": year_of_files()["PARR2301.dbc"]})
    counted = "results/outpatient/measures/ingest.csv"
    assert "ingest" in ran(study, "--", counted)
    (counts,) = rows_of(study.folder / counted)
    assert counts["n_read"] == "24"


def test_other_values_of_a_group_are_walked_again(local, tmp_path):
    study = local.copy(tmp_path)
    study.change('"0304*"', '"0303*"')
    assert study.planned() == sorted(AFTER_PROFILE)


@pytest.mark.long
def test_without_groups_their_measures_go_and_the_others_stay(local, tmp_path):
    study = local.copy(tmp_path)
    study.change("      groups: [severe]\n", "")
    before = study.bytes()
    # What else there is reads the same bytes as before.
    made = ["all", "audit", "entropy", "measure", "profile", "publish", "report"]
    assert ran(study) == made
    after = study.bytes()
    gone = before.keys() - after.keys()
    assert {path for path in gone if path.startswith("measures/")} == {
        "measures/groups/lines-RR-2023.csv"
    }
    measures = {path for path in after if path.startswith("measures/")}
    assert measures >= {"measures/collective/lines-RR-2023.csv", "measures/states.csv"}
    changed = {path for path in measures if after[path] != before[path]}
    assert changed == {"measures/csv-metadata.json"}
    assert verify(study.results) > 0


@pytest.mark.long
def test_a_release_behind_ftp_gives_the_same_bytes_as_its_folder(local, fetched):
    folder = fetched.results / "raw" / "url" / "sia_pa" / "RR-2023"
    names = {*files(), "SHA256SUMS", "complete.txt", "listing.json"}
    assert {path.name for path in folder.iterdir()} == names
    mine = {k: v for k, v in fetched.bytes().items() if not k.startswith("raw/")}
    # These say where the files came from.
    told = ("manifest.json", "ro-crate-metadata.json")
    records = ("ingest/sia_pa/RR-2023", "collect/sia_pa/RR-2023", "publish")
    origin = dict.fromkeys((*told, *(f"records/{name}.json" for name in records)), "")
    assert mine | origin == local.bytes() | origin
    assert ran(fetched) == []


def test_a_release_that_was_fetched_is_not_fetched_again(fetched, tmp_path):
    study = fetched.copy(tmp_path)
    before = study.bytes()
    words = ("--", "--forcerun", "collect", "--until", "collect")
    assert ran(study, *words) == ["collect"]
    # A job that begins takes the manifest away.
    assert study.bytes() | {"manifest.json": before["manifest.json"]} == before


def test_a_fetched_month_that_was_changed_is_refused_by_name(fetched, tmp_path):
    study = fetched.copy(tmp_path)
    folder = study.results / "raw" / "url" / "sia_pa" / "RR-2023"
    (folder / "PARR2302.dbc").write_bytes(packed(month_table({})))
    process = study.run(words=("--", "--forcerun", "ingest"))
    assert process.returncode == 1
    line = process.output.splitlines()[-1]
    assert "RR-2023: PARR2302.dbc has SHA-256" in line
    assert "when first seen (SHA256SUMS): it was changed" in line
