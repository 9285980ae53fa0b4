"""Records of jobs: what they name, and what they do not tell."""

import json
from pathlib import Path

import pytest

from microleak.base.digests import Digests, state_of
from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.step import Archive
from microleak.study.job_records import (
    Recorder,
    check_study_file,
    read_record,
    record_of,
    study_read,
)
from microleak.study.jobs import COLLECT, COUNT_ROWS, DEDUPLICATE, DOWNLOAD, INGEST
from microleak.study.listing import DIGESTS
from microleak.study.outdated import outdated_jobs
from microleak.study.steps import code_of

NAMES = {"table": "t", "release": "1"}


@pytest.fixture
def study_dir(tmp_path):
    folder = tmp_path / "results/s"
    for path in ("tables/t/1.parquet", "tables/t/1.json"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text('{"members": []}')
    return folder


def recorded(job, study_dir, study_file=Path("none")):
    Recorder(job, "c0de", study_dir, study_file).write()
    return json.loads((study_dir / record_of(job)).read_text("utf-8"))


def folder_archive(tmp_path):
    folder = tmp_path / "archive"
    for path in ("DADOS/a.csv", "more.ZIP", "read.me"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    return Archive(str(folder), r".+\.csv")


def test_of_a_folder_its_members_and_zips_count(study_dir, tmp_path):
    job = INGEST.job(NAMES, archive=folder_archive(tmp_path))
    inputs = recorded(job, study_dir)["inputs"]
    assert [row[:2] for row in inputs] == [
        ["archive", "archive archive/DADOS/a.csv"],
        ["archive", "archive archive/more.ZIP"],
    ]


def wrongly_known(study_dir, *files):
    """Write hashes of files that are not theirs, as if they had been taken."""
    known = {str(file): (state_of(file), "0" * 64) for file in files}
    Digests(known).write(study_dir / DIGESTS)
    assert Digests.read(study_dir / DIGESTS).of(files[0]) == "0" * 64


@pytest.mark.parametrize("path", ["DADOS/a.csv", "more.ZIP"])
def test_a_record_has_the_hash_of_what_was_read_not_known(study_dir, tmp_path, path):
    job = INGEST.job(NAMES, archive=folder_archive(tmp_path))
    file = tmp_path / "archive" / path
    wrongly_known(study_dir, file, study_dir / "tables/t/1.parquet")
    record = recorded(job, study_dir)
    hashes = {row[1]: row[2] for row in record["inputs"]}
    assert hashes[f"archive archive/{path}"] == sha256_of(file)
    assert "0" * 64 not in record["outputs"].values()


def test_a_record_takes_the_hashes_of_an_archive_from_what_read_it(study_dir, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age\n1\n")
    (study_dir / "tables/t/1.json").write_text('{"sha256": "as it was read"}')
    job = INGEST.job(NAMES, archive=Archive(str(file), ".+"))
    assert recorded(job, study_dir)["inputs"][0][2] == "as it was read"
    folder = folder_archive(tmp_path)
    told = {"members": [{"name": "b.csv", "sha256": "as read"}, {"name": "in_zip"}]}
    (study_dir / "tables/t/1.json").write_text(json.dumps(told))
    (tmp_path / "archive/b.csv").write_text("")
    rows = recorded(INGEST.job(NAMES, archive=folder), study_dir)["inputs"]
    assert ["archive", "archive archive/b.csv", "as read"] in rows


def test_a_record_has_the_hashes_of_results_that_were_read(study_dir):
    table = study_dir / "tables/t/1.parquet"
    wrongly_known(study_dir, table)
    (study_dir / "entities/t").mkdir(parents=True)
    job = COUNT_ROWS.job({}, {"receipts": ("tables/t/1.parquet",)}, {})
    (study_dir / "measures").mkdir()
    for path in COUNT_ROWS.makes.values():
        (study_dir / path).write_text(path)
    assert recorded(job, study_dir)["inputs"][0][2] == sha256_of(table)


def test_an_address_is_not_told(study_dir):
    url = "https://ana:key@example.org/census.zip?sig=s3"
    (study_dir / "raw/url/t").mkdir(parents=True)
    (study_dir / "raw/url/t/1").write_text("bytes")
    record = recorded(DOWNLOAD.job(NAMES, settings={"url": url}), study_dir)
    assert "example" not in json.dumps(record)
    assert len(record["settings"]["url"]) == 64


def test_a_record_has_neither_time_nor_place(study_dir, tmp_path):
    job = INGEST.job(NAMES, archive=folder_archive(tmp_path), reads_study=True)
    (tmp_path / "s.yaml").write_text("study: s")
    record = recorded(job, study_dir, tmp_path / "s.yaml")
    assert str(tmp_path) not in json.dumps(record)
    assert record["inputs"][-1][:2] == ["study", "study file"]
    assert [*record["outputs"]] == ["tables/t/1.parquet", "tables/t/1.json"]


@pytest.mark.parametrize(
    ("reads", "keep", "why"),
    [
        (("json", "parquet"), {"age": 1, "sex": 2}, None),
        (("parquet", "json"), {"age": 1, "sex": 2}, "other inputs"),
        (("json", "parquet"), {"sex": 2, "age": 1}, "other settings"),
    ],
)
def test_another_order_of_inputs_or_settings_makes_a_job_stale(
    study_dir, monkeypatch, reads, keep, why
):
    def jobs(reads, keep):
        inputs = tuple(f"tables/t/1.{ending}" for ending in reads)
        yield INGEST.job(NAMES)
        yield COUNT_ROWS.job({}, {"receipts": inputs}, {"keep": keep})

    (study_dir / "measures").mkdir()
    for path in COUNT_ROWS.makes.values():
        (study_dir / path).write_text(path)
    for job in jobs(("json", "parquet"), {"age": 1, "sex": 2}):
        Recorder(job, code_of(job.rule), study_dir, Path("none")).write()
    monkeypatch.setattr("microleak.study.outdated.jobs_of", lambda _: jobs(reads, keep))
    stale = outdated_jobs(None, study_dir, Path("none"), Digests()).stale
    assert {job.title: each for job, each in stale.items()} == (
        {"count_rows": why} if why else {}
    )


@pytest.fixture
def fetched(study_dir, monkeypatch):
    """A release of two files that was fetched and read; and what is then stale."""
    folder = study_dir / "raw/url/t/1"
    folder.mkdir(parents=True)
    for name in ("01.csv", "02.csv"):
        (folder / name).write_text(name)
    lines = [f"{sha256_of(file)}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / "complete.txt").write_text("".join(lines))
    jobs = [
        COLLECT.job(NAMES),
        INGEST.job(NAMES, {"archive": "raw/url/t/1/complete.txt"}),
    ]
    for job in jobs:
        Recorder(job, code_of(job.rule), study_dir, Path("none")).write()
    monkeypatch.setattr("microleak.study.outdated.jobs_of", lambda _: jobs)

    def stale():
        found = outdated_jobs(None, study_dir, Path("none"), Digests())
        return [job.rule for job in found.stale], [job.rule for job in found.ready]

    return folder, stale


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text("other")])
def test_files_that_were_fetched_are_fetched_again_where_they_changed_and_are_needed(
    fetched, study_dir, change
):
    folder, stale = fetched
    change(folder / "01.csv")
    assert stale() == ([], [])
    (study_dir / "tables/t/1.parquet").unlink()
    assert stale() == (["collect", "ingest"], ["collect", "ingest"])


def test_files_that_are_as_they_were_fetched_are_not_fetched_again(fetched, study_dir):
    _, stale = fetched
    (study_dir / "tables/t/1.parquet").unlink()
    assert stale() == (["ingest"], ["ingest"])


@pytest.mark.parametrize(
    ("old", "new"),
    [('"rule"', '"role"'), ("\n", "\n "), ('"inputs": []', '"inputs": [1]')],
)
def test_a_record_that_no_job_wrote_so_is_none(study_dir, old, new):
    job = INGEST.job(NAMES)
    assert recorded(job, study_dir) == read_record(study_dir, job)
    path = study_dir / record_of(job)
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    assert read_record(study_dir, job) == {}


def test_what_changes_while_it_is_read_is_refused(study_dir):
    job = DEDUPLICATE.job(NAMES, {"table": "tables/t/1.parquet"})
    recorder = Recorder(job, "c0de", study_dir, Path("none"))
    (study_dir / "tables/t/1.parquet").write_text("others of the same size"[:18])
    with pytest.raises(StudyError, match=r"1\.parquet: changed while it was read by"):
        recorder.write()
    assert not (study_dir / record_of(job)).exists()


def test_a_study_file_is_the_same_for_all_jobs_of_a_run(tmp_path, monkeypatch):
    file = tmp_path / "s.yaml"
    monkeypatch.setenv(study_read(file), "")
    monkeypatch.delenv(study_read(file))
    file.write_text("study: s")
    check_study_file(file)
    check_study_file(file)
    file.write_text("study: t")
    with pytest.raises(StudyError, match="was changed while the study ran"):
        check_study_file(file)


def test_a_hash_is_kept_while_a_files_state_is_the_same(tmp_path, monkeypatch):
    file, kept = tmp_path / "a", tmp_path / "kept"
    file.write_text("1")
    monkeypatch.setattr("microleak.base.digests.CLOCK_STEP_NS", -(10**12))
    digests = Digests()
    sha = digests.of(file)
    digests.write(kept)
    monkeypatch.setattr("microleak.base.digests.sha256_of", lambda path: "another")
    assert Digests.read(kept).of(file) == sha
    file.chmod(0o600)
    assert Digests.read(kept).of(file) == "another"


def test_hashes_are_for_who_ran_the_study_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("microleak.base.digests.CLOCK_STEP_NS", -(10**12))
    (tmp_path / "a").write_text("1")
    (tmp_path / "kept").write_text("[]")
    digests = Digests()
    digests.of(tmp_path / "a")
    digests.write(tmp_path / "kept")
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o600


def test_a_file_that_changed_just_now_is_hashed_again(tmp_path, monkeypatch):
    file = tmp_path / "a"
    file.write_text("1")
    monkeypatch.setattr("microleak.base.digests.CLOCK_STEP_NS", 10**12)
    digests = Digests()
    digests.of(file)
    monkeypatch.setattr("microleak.base.digests.sha256_of", lambda path: "another")
    assert digests.of(file) == "another"


def test_what_is_no_file_has_no_hash(tmp_path):
    assert Digests().of(tmp_path) is None
    assert Digests().of(tmp_path / "none") is None


def test_of_kept_hashes_one_other_character_has_all_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr("microleak.base.digests.CLOCK_STEP_NS", -(10**12))
    for name in "ab":
        (tmp_path / name).write_text(name)
    digests, kept = Digests(), tmp_path / "kept"
    shas = [digests.of(tmp_path / name) for name in "ab"]
    digests.write(kept)
    text = kept.read_text()
    for place in range(text.index(shas[0]), text.index(shas[0]) + 64, 7):
        other = "0" if text[place] != "0" else "1"
        kept.write_text(text[:place] + other + text[place + 1 :])
        assert [Digests.read(kept).of(tmp_path / name) for name in "ab"] == shas


@pytest.mark.parametrize("text", ["", "{", "[1]", '[["a", [1], "b"]]'])
def test_damaged_hashes_are_forgotten(tmp_path, text):
    (tmp_path / "kept").write_text(text)
    (tmp_path / "a").write_text("1")
    assert len(Digests.read(tmp_path / "kept").of(tmp_path / "a")) == 64
