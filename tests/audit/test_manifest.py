import json
import os
import shutil
from hashlib import sha256

import duckdb
import pytest

from microleak import __version__
from microleak.audit.manifest import verify, write_manifest
from microleak.base.digests import Digests
from microleak.base.errors import StudyError, TableError, VerificationError
from microleak.base.paths import MANIFEST
from microleak.study.fingerprint import code_fingerprint
from tests.audit.auditing import (
    CODE,
    INGESTED,
    MEASURE,
    N_FILES,
    OUTPUTS,
    STUDY,
    results_of,
    study_file,
)


@pytest.fixture
def study_dir(tmp_path):
    return results_of(tmp_path)


@pytest.fixture
def config(tmp_path):
    return study_file(tmp_path)


def written(study_dir, config, study=STUDY, outputs=OUTPUTS):
    write_manifest(study_dir, study, config, outputs, Digests())


def content(study_dir):
    return json.loads((study_dir / "manifest.json").read_text(encoding="utf-8"))


def test_every_output_is_listed_in_order_with_code_and_crate_and_nothing_else(made):
    paths = [entry["path"] for entry in content(made)["outputs"]]
    assert [path for path in paths if not path.startswith("code/")] == [
        *("figures/a/x.svg", "measures/collective/a.csv", "measures/ingest.csv"),
        *("people/census/2018.json", "people/census/2018.parquet"),
        *("records/all.json", "report/index.html", "tables/census/2018.json"),
        "ro-crate-metadata.json",
    ]
    assert paths[:-1] == sorted(paths[:-1])
    assert [path for path in paths if path.startswith("code/")] == CODE


def test_an_output_has_its_hash_its_bytes_and_its_rows(made):
    entries = {entry.pop("path"): entry for entry in content(made)["outputs"]}
    assert entries["measures/collective/a.csv"] == {
        "sha256": sha256(MEASURE.encode()).hexdigest(),
        "bytes": len(MEASURE.encode()),
        "n_rows": 2,
    }
    assert entries["people/census/2018.parquet"]["n_rows"] == 2
    assert "n_rows" not in entries["report/index.html"]


def test_what_no_rule_makes_is_not_listed_and_verify_names_it(study_dir, config):
    for path in ("measures/collective/b.csv", "tables/census/2017.json"):
        (study_dir / path).write_text("{}")
    written(study_dir, config)
    assert "tables/census/2017.json" not in content(study_dir)["inputs"]
    words = r"2 not listed \(measures/collective/b\.csv, tables/census/2017\.json\)"
    with pytest.raises(VerificationError, match=words):
        verify(study_dir)


def test_a_manifest_that_would_lack_a_result_is_not_written(study_dir, config):
    (study_dir / "people/census/2018.parquet").unlink()
    words = r"lacks results .*\(people/census/2018\.parquet\)\. Run microleak resume"
    with pytest.raises(StudyError, match=words):
        written(study_dir, config)
    assert not (study_dir / MANIFEST).exists()


@pytest.mark.parametrize("path", ["tables", "people/census/2018.parquet", "report"])
def test_results_behind_a_link_are_not_listed(study_dir, config, tmp_path, path):
    (study_dir / path).rename(tmp_path / "elsewhere")
    (study_dir / path).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StudyError, match=rf"1 results .* behind links \({path}"):
        written(study_dir, config)


def test_results_whose_whole_folder_is_a_link_are_listed(study_dir, config, tmp_path):
    study_dir.rename(tmp_path / "elsewhere")
    study_dir.symlink_to(tmp_path / "elsewhere")
    written(study_dir, config)
    assert verify(study_dir) == N_FILES


def test_the_receipt_of_a_panel_is_an_input_too(study_dir, config):
    panel = "panels/census/2018/2017.json"
    (study_dir / panel).parent.mkdir(parents=True)
    (study_dir / panel).write_text('{"n_linked": 1}')
    written(study_dir, config, outputs=[*OUTPUTS, panel])
    assert content(study_dir)["inputs"][panel] == {"n_linked": 1}


def test_receipts_are_the_inputs_and_the_study_file_is_there_by_hash_and_content(made):
    found = content(made)
    assert found["inputs"] == {
        "people/census/2018.json": {"n_records": 2},
        "tables/census/2018.json": INGESTED,
    }
    assert (found["study"], found["seed"]) == ("small", 3)
    assert found["config"]["name"] == "small.yaml"
    assert found["config"]["sha256"] == sha256(b"study: small\n").hexdigest()
    assert found["config"]["content"]["tables"]["census"]["source"] == "delimited"


def test_the_code_and_the_versions_are_named(made):
    found = content(made)
    fingerprint = code_fingerprint()
    assert found["code"] == {"microleak": __version__, "fingerprint": fingerprint}
    assert found["versions"]["duckdb"] == duckdb.__version__
    assert sorted(found["versions"]) == [
        *("babel", "duckdb", "highspy", "jinja2", "matplotlib", "numba"),
        *("numpy", "pandas", "pyarrow", "python", "snakemake"),
    ]


@pytest.mark.parametrize("is_synthetic", [False, True])
def test_a_study_is_synthetic_if_a_release_that_was_read_is(
    study_dir, config, is_synthetic
):
    rows = f"release,synthetic\n2018,false\n2019,{str(is_synthetic).lower()}\n"
    (study_dir / "measures/ingest.csv").write_text(rows)
    written(study_dir, config)
    assert content(study_dir)["synthetic"] is is_synthetic


def test_an_archive_is_named_without_its_folder_and_an_address_without_user_and_query(
    made,
):
    releases = content(made)["config"]["content"]["tables"]["census"]["releases"]
    assert releases == {
        "2018": {"archive": "census.zip"},
        "2019": {"url": "https://example.org/census.zip"},
    }
    assert "someone" not in (made / "manifest.json").read_text()
    given = STUDY["tables"]["census"]["releases"]["2018"]["archive"]
    assert given == "/home/someone/data/census.zip"


def test_of_what_is_known_of_a_target_only_the_attributes_are_told(
    study_dir, config, known, shown
):
    target = {"name": "t", "focal": 2014, "known": known}
    study = {**STUDY, "analyses": {"targets": [target]}}
    written(study_dir, config, study)
    told = content(study_dir)["config"]["content"]["analyses"]["targets"]
    assert told == [{"name": "t", "focal": 2014, "known": shown}]
    assert "known-age" not in (study_dir / "manifest.json").read_text()
    assert target["known"] == known


def test_the_same_study_has_the_same_manifest_in_any_folder_at_any_time(
    made, config, tmp_path, monkeypatch
):
    other = shutil.copytree(made, tmp_path / "other" / "place")
    for path in other.rglob("*"):
        os.utime(path, (0, 0))
    monkeypatch.setenv("USER", "other")
    monkeypatch.setenv("TZ", "America/Recife")
    moved = shutil.copy(config, other.parent)
    write_manifest(other, STUDY, type(config)(moved), OUTPUTS, Digests())
    ours, theirs = (folder / "manifest.json" for folder in (made, other))
    assert ours.read_bytes() == theirs.read_bytes()
    assert str(tmp_path) not in ours.read_text()


def test_what_lies_beside_the_outputs_may_change(made):
    (made / "logs/profile/a.log").write_text("at 10:32")
    (made / "benchmarks/profile/b.tsv").write_text("2 s")
    shutil.rmtree(made / "raw")
    assert verify(made) == N_FILES


def test_what_may_lie_beside_the_outputs_is_told_below_the_top(made):
    (made / "figures/logs").mkdir()
    (made / "figures/logs/x.svg").write_text("")
    with pytest.raises(VerificationError, match=r"1 not listed \(figures/logs/x\.svg"):
        verify(made)


def test_many_faults_are_counted_and_the_first_named_in_one_line(made):
    for i in range(5):
        (made / f"report/{i}.html").write_text("")
    (made / "report/index.html").write_text("other")
    (made / "tables/census/2018.json").unlink()
    with pytest.raises(VerificationError) as caught:
        verify(made)
    assert (
        "1 changed (report/index.html); 1 missing (tables/census/2018.json); "
        "5 not listed (report/0.html, report/1.html, report/2.html, …)."
    ) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b'{"study": ', b"\xff\xfe", b"[]", b"{}", b'{"manifest_sha256": 1}']
)
def test_a_damaged_manifest_is_named(made, data):
    (made / "manifest.json").write_bytes(data)
    with pytest.raises(VerificationError, match=r"manifest\.json is damaged"):
        verify(made)


def test_without_a_manifest_the_error_says_how_to_make_one(study_dir, tmp_path):
    for folder in (study_dir, tmp_path / "nowhere"):
        with pytest.raises(VerificationError, match=r"no manifest.*microleak r"):
            verify(folder)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("tables/census/2018.json", "{", r"tables/census/2018\.json is not JSON"),
        ("people/census/2018.parquet", "PAR1", r"2018\.parquet cannot be read as Parq"),
    ],
)
def test_a_damaged_receipt_or_table_is_named(study_dir, config, path, text, said):
    (study_dir / path).write_text(text)
    with pytest.raises((StudyError, TableError), match=said):
        written(study_dir, config)


@pytest.mark.parametrize(("text", "n_rows"), [("", 0), ("a\n", 0), ("a\n1\n", 1)])
def test_the_header_of_a_csv_is_no_row(study_dir, config, text, n_rows):
    (study_dir / "measures/collective/a.csv").write_text(text)
    written(study_dir, config)
    entries = {entry["path"]: entry for entry in content(study_dir)["outputs"]}
    assert entries["measures/collective/a.csv"]["n_rows"] == n_rows
