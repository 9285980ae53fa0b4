"""A run trusts records alone: what they do not vouch for is made again, and no more."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from microleak.audit.rerun import check_settings
from microleak.audit.sealed import sealed_text
from microleak.base.digests import Digests
from microleak.base.errors import StudyError, VerificationError
from microleak.base.files import sha256_of
from microleak.base.paths import ROOT
from microleak.cli import main
from microleak.run.rounds import Rounds
from microleak.run.signals import Stops
from microleak.step import Step
from microleak.study.fingerprint import code_now
from microleak.study.load import load_study
from microleak.study.outdated import refuse_outdated
from microleak.study.steps import code_of, steps_by_rule
from tests.workflow.conftest import CSV_STUDY, PEOPLE
from tests.workflow.workshop import Workshop

QIDS, OTHER_QIDS = "qids: [age, sex]", "qids: [sex]"
TABLE = Path("results/people/measures/collective/people.csv")
PERSONS = Path("results/people/people/people/1.parquet")
AFTER_INGEST = ["ingest", "deduplicate"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Folders of the study with two QIDs and with one, each run once."""
    found = {}
    for name, qids in (("both", QIDS), ("one", OTHER_QIDS)):
        folder = tmp_path_factory.mktemp(name)
        before = Path.cwd()
        os.chdir(folder)
        try:
            Path("people.csv").write_text(PEOPLE, encoding="utf-8")
            workshop = Workshop(CSV_STUDY.replace(QIDS, qids))
            workshop.run()
            found[name] = folder, workshop.bytes()
        finally:
            os.chdir(before)
    return found


@pytest.fixture
def done(finished, tmp_path, monkeypatch):
    shutil.copytree(finished["both"][0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Workshop(CSV_STUDY)


def test_nothing_is_made_twice_if_copied_touched_or_moved(done, tmp_path, monkeypatch):
    assert done.run() == []
    shutil.copyfile("people.csv", "copy")
    Path("copy").replace("people.csv")
    for path in Path("results").rglob("*"):
        os.utime(path)
    assert done.run() == []
    other = tmp_path.parent / f"{tmp_path.name}-moved"
    shutil.copytree(tmp_path, other)
    monkeypatch.chdir(other)
    assert done.run() == []


def test_results_of_other_settings_are_made_again_by_records_alone(done, finished):
    shutil.rmtree(".snakemake")
    done.change(QIDS, OTHER_QIDS)
    assert "profile" in done.run()
    assert done.bytes() == finished["one"][1]


def test_results_from_a_backup_of_an_older_study_are_made_again(done, finished):
    shutil.rmtree("results")
    shutil.copytree(finished["one"][0] / "results", "results")
    assert "profile" in done.run()
    assert done.bytes() == finished["both"][1]


@pytest.mark.parametrize("is_old", [True, False])
@pytest.mark.parametrize("path", [TABLE, PERSONS])
def test_results_cut_short_are_made_again_of_any_time(done, finished, path, is_old):
    Path("results/people/manifest.json").unlink()
    before = path.stat()
    path.write_bytes(path.read_bytes()[: before.st_size // 2])
    if is_old:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert done.run()
    assert done.bytes() == finished["both"][1]


RECORDS = Path("results/people/records")


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        (PERSONS, None, "deduplicate"),
        (RECORDS / "measure/people.json", None, "measure"),
        (RECORDS / "report.json", "{", "report"),
    ],
    ids=["a result is lost", "a record is lost", "a record is damaged"],
)
def test_what_is_made_again_with_the_same_bytes_makes_nothing_else_again(
    done, finished, path, text, rule
):
    path.unlink() if text is None else path.write_text(text)
    assert done.run() == [rule, "audit"]
    assert done.bytes() == finished["both"][1]


def test_an_archive_of_other_bytes_but_the_same_size_and_time_is_read_again(done):
    archive = Path("people.csv")
    before = archive.stat()
    archive.write_text(PEOPLE.replace("60", "61"), encoding="utf-8")
    os.utime(archive, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert archive.stat().st_size == before.st_size
    assert done.run()[:2] == AFTER_INGEST


@pytest.fixture
def own_codes():
    """Codes that are taken of changed steps are of a test alone."""
    yield
    code_of.cache_clear()


@pytest.mark.usefixtures("own_codes")
def test_a_changed_script_makes_its_results_again_whatever_its_time(done, monkeypatch):
    monkeypatch.setitem(vars(steps_by_rule()["importance"]), "data", ("README.md",))
    code_of.cache_clear()
    assert done.run() == ["importance", "audit"]


@pytest.mark.usefixtures("own_codes")
def test_the_code_of_a_step_is_of_its_script_wherever_it_lies(tmp_path, monkeypatch):
    monkeypatch.setitem(steps_by_rule(), "gain", Step("gain", {}))
    code_of.cache_clear()
    here = code_of("gain")
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    monkeypatch.setattr("microleak.base.paths.ROOT", tmp_path)
    script = tmp_path / "scripts/gain.py"
    code_of.cache_clear()
    assert code_of("gain") == here
    script.write_text(f"{script.read_text()}# changed\n", encoding="utf-8")
    os.utime(script, (1_000_000_000, 1_000_000_000))
    code_of.cache_clear()
    assert code_of("gain") != here


def test_the_page_is_made_again_for_a_renamed_study_file_which_verify_takes(done):
    done.file = done.file.rename("renamed.yaml")
    assert verified(["--config", "renamed.yaml"]) == 0
    assert done.run() == ["publish", "report", "audit"]
    page = Path("results/people/report/index.html").read_text("utf-8")
    assert "renamed.yaml" in page
    assert "people.yaml" not in page


@pytest.mark.parametrize("n_before", [0, 1])
def test_code_that_changes_before_or_in_a_job_is_refused(done, monkeypatch, n_before):
    left = iter(range(n_before))

    def changed(step):
        return code_now(step) if next(left, None) is not None else "of an edited file"

    monkeypatch.setattr("microleak.run.job.code_now", changed)
    record = Path("results/people/records/importance/people.json")
    record.unlink()
    with pytest.raises(AssertionError, match="code of importance people is not the"):
        done.run()
    assert not record.exists()


def test_an_archive_that_changes_while_it_is_read_is_refused(done, monkeypatch):
    states = iter(range(10_000))
    monkeypatch.setattr("microleak.study.job_records.state_of", lambda _: next(states))
    Path("results/people/records/ingest/people/1.json").unlink()
    with pytest.raises(AssertionError, match="changed while it was read by ingest"):
        done.run()


def test_results_of_a_dropped_analysis_are_removed_with_records(done, finished):
    more = '    - {name: more, table: people, focal: "1", qids: [sex, ill]}\nreport:'
    done.change("report:", more)
    assert "profile" in done.run()
    done.change(more, "report:")
    assert "profile" not in done.run()
    assert done.bytes() == finished["both"][1]


def test_the_steps_of_a_run_are_counted_over_its_rounds(done):
    shutil.rmtree("results/people/people")
    done.run()
    assert done.said == ["1 step is done again: deduplicate people 1 (changed results)"]
    assert done.steps == ["0+", "1"]


def test_words_with_which_snakemake_makes_nothing_accuse_nobody(done):
    done.change(QIDS, OTHER_QIDS)
    study = load_study(done.file)
    asked = []

    def call(words, steps):
        asked.append(words)
        return 0

    rounds = Rounds(study, done.file, Path(".due"), call)
    assert rounds.make(["--what"], done.said.append) == 0
    assert len(asked) == 1


def test_results_that_change_while_they_are_made_are_told(done):
    def call(words, steps):
        assert done.called(words) == 0
        TABLE.write_text("other")
        return 0

    TABLE.unlink()
    rounds = Rounds(load_study(done.file), done.file, Path(".due"), call)
    with pytest.raises(StudyError, match="just made does not fit its record"):
        rounds.make([], done.said.append)


def test_a_run_says_why_a_step_is_done_again(done):
    done.change("seed: 3", "seed: 4")
    done.run()
    assert "deduplicate people 1 (other settings)" in done.said[0]


def test_a_run_with_nothing_to_do_hashes_no_file_again(done, monkeypatch):
    time.sleep(0.1)
    done.run()

    def refuse(path):
        raise AssertionError(path)

    monkeypatch.setattr("microleak.base.digests.sha256_of", refuse)
    assert done.run() == []


def verified(words=()):
    return main(["verify", "results/people", *words])


def sealed_again(change):
    """Change the manifest, and seal it as if it had been made so."""
    path = Path("results/people/manifest.json")
    manifest = json.loads(path.read_text("utf-8"))
    del manifest["manifest_sha256"]
    change(manifest)
    path.write_text(sealed_text(manifest), encoding="utf-8")


def test_verify_names_a_result_that_its_record_does_not_have(done, capsys):
    TABLE.write_bytes(TABLE.read_bytes() + b"\n")

    def other(manifest):
        listed = {each["path"]: each for each in manifest["outputs"]}
        of = listed["measures/collective/people.csv"]
        of |= {"sha256": sha256_of(TABLE), "bytes": TABLE.stat().st_size}

    sealed_again(other)
    assert verified() == 1
    assert "told otherwise by records (measures/collective/people.csv" in (
        capsys.readouterr().err
    )


def test_verify_compares_settings_and_code_where_the_study_file_is(done, capsys):
    assert verified() == 0
    assert "Settings and code are those of people.yaml" in capsys.readouterr().out
    Path("people.yaml").rename("elsewhere")
    assert verified() == 0
    said = capsys.readouterr().out
    assert "not compared: the study file people.yaml is not here (--config" in said
    assert verified(["--inputs"]) == 1
    assert "Give it by --config." in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--inputs"]])
def test_verify_refuses_results_of_another_study_file_here(done, capsys, words):
    given = done.file.read_bytes()
    done.change("seed: 3", "seed: 4")
    assert verified(words) == 1
    assert "people.yaml is not the study file that the results were made with" in (
        capsys.readouterr().err
    )
    Path("config").mkdir()
    Path("config/people.yaml").write_bytes(given)
    assert verified(words) == 0


def test_records_of_other_settings_than_the_study_files_are_refused(done):
    done.change(QIDS, OTHER_QIDS)
    study, folder = load_study(done.file), Path("results/people")
    with pytest.raises(VerificationError, match="records of 4 steps have other sett"):
        check_settings(study, folder)
    with pytest.raises(StudyError, match=r"of \d+ steps .* are not those of"):
        refuse_outdated(study, folder, done.file, Digests())


def test_verify_hashes_the_archives_where_asked_to(done, capsys):
    archive = Path("people.csv")
    assert verified(["--inputs"]) == 0
    assert "1 archive as in the receipts." in capsys.readouterr().out
    archive.write_text(PEOPLE.replace("60", "61"), encoding="utf-8")
    assert verified() == 0
    assert verified(["--inputs"]) == 1
    assert "people.csv has SHA-256" in capsys.readouterr().err


def test_a_study_file_edited_meanwhile_changes_nothing(done, finished, monkeypatch):
    shutil.rmtree("results")
    given = done.file.read_bytes()

    def call(begin):
        """Stand in for Snakemake, while somebody edits the study file."""
        line = begin.args[0]
        done.change(QIDS, OTHER_QIDS)
        (copy,) = (w.partition("=")[2] for w in line if w.startswith("--configfile="))
        assert Path(copy).read_bytes() == given
        assert Path(copy).parent.stat().st_mode & 0o077 == 0
        workshop = Workshop(given.decode(), copy)
        monkeypatch.setattr(Stops, "watch", lambda _, begin, __: workshop.begun(begin))
        return workshop.begun(begin)

    monkeypatch.setattr(Stops, "watch", lambda _, begin, __: call(begin))
    assert main(["run", "people.yaml"]) == 0
    assert done.bytes() == finished["both"][1]
    assert not Path(".snakemake/microleak-study").exists()
