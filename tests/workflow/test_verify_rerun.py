"""A part made again: which files, by which rules, from which inputs, what is told."""

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from microleak.audit.crate import CRATE, write_crate
from microleak.audit.manifest import public_settings, verify
from microleak.audit.rerun import (
    RerunPart,
    check_archives,
    check_listed,
    check_same,
    check_study_file,
    part,
    prepare,
)
from microleak.audit.sealed import read_manifest, sealed_text
from microleak.base.digests import Digests
from microleak.base.errors import ArchiveError, StudyError, VerificationError
from microleak.base.files import sha256_of
from microleak.base.paths import ROOT
from microleak.run.store import STORE
from microleak.study.listing import manifest_entry
from microleak.study.load import load_study
from microleak.study.outdated import outputs_of, results_of
from microleak.study.steps import jobs_of, steps_by_rule
from microleak.study_file.model import Release
from microleak.study_file.yaml import read_yaml
from tests.commands import microleak, snakemake
from tests.workflow.conftest import PEOPLE, Study
from tests.workflow.test_kill import kill_tree

pytestmark = pytest.mark.workflow
OF_RELEASE = (
    *("download", "collect", "synthesise", "ingest", "deduplicate"),
    *("protect", "pool", "units", "join"),
)
OF_REPORT = (
    *("count_rows", "protections", "tabulations"),
    *("states", "compare", "publish", "report"),
)
OF_ALL_KINDS = Path(__file__).with_name("kinds.yaml").read_text("utf-8")


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return Study(folder, "kinds", OF_ALL_KINDS)


@pytest.fixture(scope="module")
def study(kinds):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(kinds.folder)
        return load_study(kinds.file)


def test_a_part_is_the_results_of_an_analysis_and_of_it_alone(study):
    again = part(study, ["noisy"])
    assert again.rules == ("contingency", "mechanism")
    assert again.outputs == {
        "measures/mechanism/noisy.csv",
        "measures/pairs/noisy.csv",
        "measures/samples/noisy.csv",
        "measures/simulated/noisy.csv",
        "profiles/noisy/contingency.parquet",
    }


def test_the_name_of_an_analysis_of_many_releases_is_that_of_each(study):
    again = part(study, ["each"])
    assert {"figures/each-1", "figures/each-2"} <= again.outputs
    assert again.outputs == part(study, ["each-1", "each-2"]).outputs


def test_a_part_is_a_release_with_the_panels_that_it_is_the_focal_one_of(study):
    again = part(study, ["people/1"])
    assert (again.rules, again.releases) == (OF_RELEASE, (("people", "1"),))
    assert again.outputs == {
        f"{path}.{form}"
        for path in ("tables/people/1", "people/people/1", "panels/people/1/2")
        for form in ("json", "parquet")
    }


def test_a_part_is_the_report_with_the_tables_over_all_analyses(study):
    again = part(study, ["report"])
    assert (again.rules, again.releases) == (OF_REPORT, ())
    assert again.outputs == {
        *("published", "report"),
        *(
            f"measures/{name}.csv"
            for name in (
                *("comparison", "explained", "ingest", "protections"),
                *("removed", "states", "tabulations"),
            )
        ),
    }


def test_an_analysis_that_is_called_report_is_made_again_with_it(study):
    called = {
        "report": study.analyses["mechanism"]["noisy"].model_copy(
            update={"name": "report"}
        )
    }
    again = part(
        replace(study, analyses={**study.analyses, "mechanism": called}), ["report"]
    )
    assert {"report", "measures/mechanism/report.csv"} <= again.outputs
    assert {*OF_REPORT, "mechanism"} <= {*again.rules}


def test_a_part_that_there_is_not_is_told_with_the_nearest(study, name, said):
    with pytest.raises(StudyError, match=re.escape(said)) as refused:
        part(study, ["noisy", name])
    assert ("Did you mean" in str(refused.value)) == ("Did you mean" in said)


def test_every_result_is_of_a_part_but_what_stands_beside_the_manifest(study):
    names = [each.name for each in study.every_analysis]
    releases = (*study.used, *study.protected)
    names += ["report", *("/".join(each) for each in releases)]
    beside = {"measures/csv-metadata.json", "ro-crate-metadata.json"}
    assert part(study, names).outputs == results_of(study) - beside


def test_a_job_comes_after_those_that_snakemake_says_it_needs(kinds, study):
    makers, needed = {}, set()
    for job in jobs_of(study):
        # What is not there yet would be made later.
        needed |= {(makers[path], job.rule) for path in job.input_paths}
        makers |= dict.fromkeys(job.outputs.values(), job.rule)
    words = [f"--snakefile={ROOT}/Snakefile", f"--configfile={kinds.file.name}"]
    drawn = snakemake(*words, "--rulegraph", folder=kinds.folder).output
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', drawn))
    edges = {(names[a], names[b]) for a, b in re.findall(r"(\d+) -> (\d+)", drawn)}
    raw = {"download", "collect", "synthesise"}
    known = {*steps_by_rule()} - {"audit", *raw}
    of_known = [
        {pair for pair in pairs if {*pair} <= known} for pairs in (edges, needed)
    ]
    assert of_known[0] == of_known[1] != set()


LISTED = {"a.csv": "A", "b/c.svg": "C", "b/d.svg": "D"}
AGAIN = RerunPart(frozenset({"a.csv", "b"}), ())


def made_again(folder, contents):
    for path, text in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def manifest_of(contents):
    hashes = {
        path: sha256(text.encode()).hexdigest() for path, text in contents.items()
    }
    outputs = [{"path": path, "sha256": each} for path, each in hashes.items()]
    code = {"microleak": "0.0.9", "fingerprint": "other"}
    return {"outputs": outputs, "code": code, "versions": {"duckdb": "1.0"}}


def test_files_made_again_that_are_the_same_are_counted(tmp_path):
    folder = made_again(tmp_path, {**LISTED, "beside.csv": "not of the part"})
    listed = manifest_of({**LISTED, "else.csv": "E"})
    assert check_same(folder, AGAIN, listed, "a") == 3


def test_each_file_that_differs_is_named_with_other_code_and_versions(tmp_path):
    folder = made_again(tmp_path, {"a.csv": "X", "b/c.svg": "C", "b/new.svg": "N"})
    with pytest.raises(VerificationError) as caught:
        check_same(folder, AGAIN, manifest_of(LISTED), "a, t/1")
    said = str(caught.value)
    assert said.startswith(
        "a, t/1: 3 of 3 files differ when they are made again "
        "(a.csv, b/d.svg, b/new.svg). "
    )
    assert "made by another microleak 0.0.9; duckdb 1.0, now " in said


FORGED = (
    *("measures/states.csv", "measures/worst/small.csv"),
    *("published/states.csv", "published/worst/small.csv"),
    "report/data/small-worst.csv",
)


def seal_again(study):
    """List results as they are now, as their owner can."""
    manifest = read_manifest(study.results)
    listed = [each for each in manifest["outputs"] if each["path"] != CRATE]
    manifest["outputs"] = [
        manifest_entry(study.results, each["path"], Digests()) for each in listed
    ]
    write_crate(study.results, manifest)
    manifest["outputs"].append(manifest_entry(study.results, CRATE, Digests()))
    (study.results / "manifest.json").write_text(sealed_text(manifest), "utf-8")


@pytest.fixture
def forged(finished, tmp_path):
    """A finished study whose owner changed measures, and all that tells of them."""
    study = finished.copy(tmp_path / "forged")
    for name in FORGED:
        path = study.results / name
        before = sha256_of(path)
        path.write_text(path.read_text("utf-8").replace("0", "1"), encoding="utf-8")
        for record in study.results.glob("records/**/*.json"):
            told = record.read_text("utf-8").replace(before, sha256_of(path))
            record.write_text(told, encoding="utf-8")
    seal_again(study)
    return study


def test_forged_results_are_named_and_the_results_are_not_touched(forged):
    assert verify(forged.results) > 0
    before = forged.bytes()
    n_files = sum(not BESIDE.match(path) for path in before)
    told = verified(forged, "--rerun", "small,school_census/2018,report")
    assert told.output.splitlines()[-1] == (
        f"microleak: small, school_census/2018, report: 5 of {n_files} files differ "
        f"when they are made again ({', '.join(FORGED)}). Code and versions are those "
        "of the manifest."
    )
    assert told.returncode == 1
    assert forged.bytes() == before
    assert not left_behind(forged), "records stay behind"


@pytest.mark.long
def test_a_record_with_another_hash_of_an_archive_is_found_by_inputs(
    csv_study,
):
    assert csv_study.run().returncode == 0
    record = csv_study.results / "records/ingest/people/1.json"
    right = sha256_of(csv_study.folder / "people.csv")
    other = ("1" if right[0] == "0" else "0") + right[1:]
    assert right in record.read_text("utf-8")
    record.write_text(record.read_text("utf-8").replace(right, other), "utf-8")
    seal_again(csv_study)
    told = verified(csv_study, "--inputs")
    assert told.returncode == 1
    assert "The record of ingest people 1 has other hashes of the" in told.output


NOISE = "report: {audience: public, noise: {epsilon: 1/2, key: people.key}}"


@pytest.mark.long
def test_counts_with_noise_are_made_again_the_same_and_with_no_other_epsilon(csv_study):
    csv_study.change("report: {languages: [en]}", NOISE)
    (csv_study.folder / "people.key").touch(0o600)
    (csv_study.folder / "people.key").write_bytes(bytes(range(32)))
    first = csv_study.run()
    assert first.returncode == 0
    assert "microleak: epsilon of the public page is 0.5: 50 chances" in first.output
    again = verified(csv_study, "--rerun", "report")
    assert again.returncode == 0, again.output
    report = csv_study.results / "report"
    n_files = sum(path.is_file() for path in report.rglob("*"))
    assert int(re.search(r"report: (\d+) files made", again.output)[1]) > n_files
    before = csv_study.bytes()
    csv_study.change("1/2", "1/4")
    for _ in range(2):  # what is refused leaves nothing by which it would pass
        refused = csv_study.run()
        assert refused.returncode == 1
        assert refused.output.splitlines()[-1].startswith(
            "microleak: results/people/report already has a public report with other "
            "counts. A second one would be a further publication"
        )
        assert csv_study.bytes().items() <= before.items()
    csv_study.change("1/4", "1/2")
    assert csv_study.run().returncode == 0
    assert csv_study.bytes() == before


def left_behind(study):
    return [*study.folder.glob("temporary/*"), *hidden(study)]


def hidden(study):
    return [f for f in study.folder.glob("results/.*") if f.name != STORE.name]


@pytest.mark.long
def test_records_of_a_killed_command_are_removed_by_the_next(finished, tmp_path):
    study = finished.copy(tmp_path / "killed")
    words = ["verify", f"results/{study.name}", "--rerun", "school_census/2018"]
    process = subprocess.Popen(
        [sys.executable, "-m", "microleak", *words],
        cwd=study.folder,
        start_new_session=True,
        env={**os.environ, "TMPDIR": temporary_of(study)},
    )
    wait_for(lambda: list(study.folder.glob("results/.*/work/results/*/tables/*/*")))
    kill_tree(process)
    assert list(study.folder.glob("results/.unfinished-*/work"))
    assert not list(study.folder.glob("temporary/**/*.parquet"))
    done = study.run(words=["--", "--dry-run"])
    assert not hidden(study), done.output


BESIDE = re.compile("(raw|code|records)/|manifest|ro-crate|measures/csv-metadata")
"""Results that belong to no part."""


def verified(study, *words):
    folder, temporary = f"results/{study.name}", temporary_of(study)
    return microleak("verify", folder, *words, folder=study.folder, TMPDIR=temporary)


def temporary_of(study):
    temporary = study.folder / "temporary"
    temporary.mkdir()
    return str(temporary)


def wait_for(is_there):
    for _ in range(1200):
        if is_there():
            return
        time.sleep(0.05)
    raise AssertionError("it does not come")


RECEIPTS = {
    f"tables/{release}.json": {"sha256": sha256(PEOPLE.encode()).hexdigest()}
    for release in ("people/1", "people/2", "sia/AC-2023")
}


@pytest.fixture
def archive(kinds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(kinds.folder / "people.csv", tmp_path))


def checked(study, name, is_synthetic=False):
    manifest = {"inputs": RECEIPTS, "synthetic": is_synthetic}
    check_archives(study, part(study, [name]), manifest)


def test_a_changed_archive_is_told_where_its_release_is_made_again(study, archive):
    archive.write_text("id,age,sex,ill\n1,7,F,no\n")
    checked(study, "noisy")
    with pytest.raises(
        ArchiveError, match=r"people 1: people\.csv has SHA-256 .*, and"
    ):
        checked(study, "people/1")


def test_a_missing_archive_is_told_where_something_is_read_of_it(study, archive):
    checked(study, "people/1")
    archive.unlink()
    checked(study, "noisy")
    said = r"people [12]: there is no archive people\.csv\. Run where it is"
    for name, is_synthetic in (("people/1", False), ("noisy", True)):
        with pytest.raises(ArchiveError, match=said):
            checked(study, name, is_synthetic)


@pytest.fixture(scope="module")
def settings(kinds):
    given = sha256(OF_ALL_KINDS.encode()).hexdigest()
    content = public_settings(read_yaml(kinds.file))
    return {
        "study": "kinds",
        "seed": 3,
        "config": {"sha256": given, "content": content},
    }


def test_a_manifest_with_other_settings_than_its_file_is_told(kinds, settings, other):
    with pytest.raises(VerificationError, match=r"other settings than .*kinds\.yaml"):
        check_study_file(kinds.file, settings | other)


def test_a_manifest_that_lacks_results_of_its_study_is_told(study):
    outputs = sorted(outputs_of(study))
    listed = [f"{p}/a.svg" if p.startswith("figures") else p for p in outputs]
    check_listed(study, {"outputs": [{"path": path} for path in listed]})
    lacks = r"lacks 1 result of the study file \(tables/people/1\.json\): it was"
    listed.remove("tables/people/1.json")
    with pytest.raises(VerificationError, match=lacks):
        check_listed(study, {"outputs": [{"path": path} for path in listed]})


def test_another_study_file_is_told(kinds, tmp_path, settings):
    check_study_file(kinds.file, settings)
    with pytest.raises(StudyError, match=r"no study file .*none\.yaml\. Give it by"):
        check_study_file(tmp_path / "none.yaml", settings)
    (tmp_path / "kinds.yaml").write_text(OF_ALL_KINDS + "# more\n")
    with pytest.raises(StudyError, match=r"kinds\.yaml is not the study file that the"):
        check_study_file(tmp_path / "kinds.yaml", settings)


@pytest.mark.parametrize("given", ["in.csv", "data/in.csv", "../../in.csv"])
def test_an_archive_is_found_where_given(study, kinds, tmp_path, monkeypatch, given):
    here = tmp_path / "a/b"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    Path(given).parent.mkdir(exist_ok=True)
    Path(given).write_text("records")
    tables = {"people": replace(study.tables["people"], releases={"1": release(given)})}
    other = replace(study, tables=tables)
    work = prepare(tmp_path / "again", here / "results/kinds", other, kinds.file)
    assert (work / given).read_text() == "records"
    assert (work / given).resolve() == (here / given).resolve()
    assert (work / given).is_relative_to(tmp_path / "again")


def test_other_files_are_found_where_the_study_gives_them(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("worth.csv", "more/race.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(name)
    config = tmp_path / "study.yaml"
    texts = [
        "a: [{gains: worth.csv}]",
        "b: {c: more/race.csv}",
        f"title: {'long' * 99}",
    ]
    config.write_text("\n".join(texts))
    work = prepare(tmp_path / "again", tmp_path / "results/kinds", study, config)
    assert (work / "worth.csv").read_text() == "worth.csv"
    assert (work / "more/race.csv").resolve() == tmp_path / "more/race.csv"


def release(archive):
    return Release("1", archive, None, None, None, None)
