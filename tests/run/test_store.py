"""What studies share is taken as it was made, or not at all."""

import errno
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from microleak.base import digests
from microleak.base.digests import Digests
from microleak.cli import main
from microleak.run import store as module
from microleak.run.store import MARK, SHARED, STORE, Store, is_shared
from microleak.study.job_records import record_of, text_of
from microleak.study.jobs import DOWNLOAD
from microleak.study.load import load_study
from microleak.study.steps import jobs_of
from tests.commands import microleak
from tests.examples import long
from tests.workflow.conftest import PEOPLE, SHORT_STUDY
from tests.workflow.test_chains import STUDY_MODULES
from tests.workflow.workshop import Workshop, copied, draw_plainly, made_in

OTHER = SHORT_STUDY.replace("study: people", "study: other").replace(
    "qids: [age, sex], sensitive: [ill]", "qids: [age, sex, ill]"
)
"""Another study, of the same columns of the same release."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    draw_plainly(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder of a study that gave the store what it made."""
    files, store = {"people.csv": PEOPLE}, Store(STORE)
    with pytest.MonkeyPatch.context() as patch:
        draw_plainly(patch)
        return made_in(tmp_path_factory.mktemp("made"), SHORT_STUDY, files, store=store)


@pytest.fixture
def first(made, folder, monkeypatch):
    return copied(made, folder, SHORT_STUDY, monkeypatch, store=Store(STORE))


def finished(text=SHORT_STUDY, name="people", store=None):
    workshop = Workshop(text, f"{name}.yaml", store)
    workshop.run()
    return workshop


def test_a_second_study_of_a_release_begins_with_its_profile(tmp_path):
    first = finished(store=Store(STORE))
    assert first.done[:2] == ["ingest", "deduplicate"]
    second = finished(OTHER, "other", Store(STORE))
    assert "blocks" in second.done
    assert not {*SHARED}.intersection(second.done)
    assert second.said == [
        "taken from results/.store: ingest people 1, deduplicate people 1"
    ]
    shutil.rmtree("results")
    assert finished(OTHER, "other").bytes() == second.bytes()


def test_records_of_what_was_taken_are_those_that_the_jobs_would_have_written():
    one, other = (finished(t, n, Store(STORE)) for t, n in STUDIES)
    for job in shared_jobs(one):
        path = record_of(job)
        assert (other.results / path).read_bytes() == (one.results / path).read_bytes()


STUDIES = ((SHORT_STUDY, "people"), (OTHER, "other"))


def shared_jobs(workshop):
    study = load_study(workshop.file)
    return [job for job in jobs_of(study) if job.rule in SHARED]


@pytest.mark.parametrize(
    ("text", "archive"),
    [
        (OTHER.replace("seed: 3", "seed: 4"), PEOPLE),
        (OTHER, PEOPLE.replace("60", "61")),
    ],
)
@pytest.mark.usefixtures("first")
def test_of_another_seed_or_archive_nothing_is_taken_that_depends_on_it(text, archive):
    Path("people.csv").write_text(archive, encoding="utf-8")
    second = finished(text, "other", Store(STORE))
    assert "deduplicate" in second.done
    kept = second.bytes()
    shutil.rmtree("results")
    assert finished(text, "other").bytes() == kept


@pytest.mark.parametrize("name", ["1.parquet", "1.json"])
@pytest.mark.usefixtures("first")
def test_a_touched_file_of_the_store_is_noticed_and_made_again(name):
    expected = finished(OTHER, "other").bytes()
    shutil.rmtree("results/other")
    (kept,) = STORE.glob(f"ingest/*/tables/people/{name}")
    data = bytearray(kept.read_bytes())
    data[len(data) // 2] ^= 1
    kept.write_bytes(data)  # in place: the first study has the same file
    second = finished(OTHER, "other", Store(STORE))
    assert second.done[0] == "ingest"
    assert second.bytes() == expected
    assert {e.rule for e in Store(STORE).entries()} == {"ingest", "deduplicate"}
    first = Workshop(SHORT_STUDY, store=Store(STORE))
    assert "ingest" not in first.run()
    assert first.said[0].startswith("1 step is done again: ingest people 1 (changed")


def taken():
    """The first jobs of another study, as far as it need not do them."""
    study_file = Workshop(OTHER, "other.yaml").file
    jobs = [job for job in jobs_of(load_study(study_file)) if job.rule == "ingest"]
    return Store(STORE).take(Path("results/other"), jobs, study_file, Digests())


def plant(path):
    """Have the entry of a step list one more file."""
    (entry,) = STORE.glob("ingest/*")
    (entry / path).parent.mkdir(parents=True, exist_ok=True)
    (entry / path).write_text("planted")
    record = json.loads((entry / "entry.json").read_text())
    record["outputs"][path] = "0"
    (entry / "entry.json").write_text(text_of(record))


def put_link(file):
    file.rename("elsewhere.parquet")
    file.symlink_to(Path("elsewhere.parquet").absolute())


DAMAGES = {
    "no entry": lambda entry: (entry / "entry.json").unlink(),
    "cut": lambda entry: (entry / "entry.json").write_text("{"),
    "a list": lambda entry: (entry / "entry.json").write_text("[]"),
    "nothing": lambda entry: (entry / "entry.json").write_text("{}"),
    "a file less": lambda entry: (entry / "tables/people/1.json").unlink(),
    "no file": lambda entry: shutil.rmtree(entry / "tables"),
    "a link": lambda entry: put_link(entry / "tables/people/1.parquet"),
    "of another job": lambda _: plant("report/index.html"),
    "of another folder": lambda _: plant("measures/evil.csv"),
    "outside": lambda _: plant("../../outside"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.usefixtures("first")
def test_of_a_damaged_entry_nothing_is_taken(damage):
    (entry,) = STORE.glob("ingest/*")
    DAMAGES[damage](entry)
    assert taken() == []
    assert not Path("results/other").exists() or not [
        file for file in Path("results/other").rglob("*") if file.is_file()
    ]


@pytest.mark.usefixtures("first")
def test_of_a_sound_entry_its_files_are_taken():
    assert [job.rule for job in taken()] == ["ingest"]
    assert Path("results/other/tables/people/1.parquet").exists()


TWINS = """\
study: NAME
seed: 3
tables:
  school:
    source: inep_school_census
    releases: {2016: {synthetic: {schools: 27}}, 2017: {synthetic: {schools: 27}}}
analyses:
  collective:
    - {name: s, table: school, focal: all, qids: [TP_SEXO]}
report: {languages: [en]}
"""
"""Two releases that are made by the same settings, each under its own name."""


def test_releases_that_are_made_alike_are_two():
    first, second = (
        finished(TWINS.replace("NAME", name), name, Store(STORE)) for name in ("a", "b")
    )
    assert len(Store(STORE).entries()) == 6
    assert first.done[:2] == ["synthesise", "synthesise"]
    assert not {*SHARED}.intersection(second.done)


def test_a_store_is_closed_to_others_wherever_it_lies():
    Path("shared").mkdir(mode=0o755)
    finished(store=Store(Path("shared")))
    assert {f.stat().st_mode & 0o777 for f in Path("shared").glob("*/")} == {0o700}


def test_what_an_address_gives_is_shared_only_by_its_hash():
    def job(sha256):
        settings = {"url": "https://nowhere/a.csv", "sha256": sha256}
        return DOWNLOAD.job({"table": "t", "release": "1"}, settings=settings)

    assert is_shared(job("0" * 64)) and not is_shared(job(None))
    assert "collect" not in SHARED


def full(file, to):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_results_whole_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "_link", full)
    workshop = finished(store=Store(STORE))
    (said,) = {line for line in workshop.said if "warning" in line}
    assert said == (
        "warning: the store results/.store cannot be written to (No space left on "
        "device). Results are whole; make room, or name another folder with --store."
    )
    assert Store(STORE).entries() == []
    assert [f.name for f in STORE.rglob("*") if f.is_file()] == [MARK]


def test_where_a_disk_is_full_nothing_is_taken_and_the_job_is_done(first, monkeypatch):
    monkeypatch.setattr(module, "_link", full)
    assert taken() == []
    assert [f for f in Path("results/other").rglob("*") if f.is_file()] == []
    assert len(Store(STORE).entries()) == len(shared_jobs(first))


def no_link(self, target):
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def test_copies_are_kept_where_a_file_system_has_no_links(monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", no_link)
    finished(store=Store(STORE))
    second = finished(OTHER, "other", Store(STORE))
    assert "ingest" not in second.done
    assert {path.stat().st_nlink for path in STORE.rglob("*.parquet")} == {1}


@pytest.mark.usefixtures("first")
def test_what_no_study_uses_is_removed(capsys):
    finished(OTHER, "other", Store(STORE))
    left = next(STORE.glob("ingest/*"))
    shutil.copytree(left, left.with_name(f".unfinished-{left.name}.x"))
    assert main(["store", "gc"]) == 0
    assert not list(STORE.rglob(".unfinished-*"))
    assert capsys.readouterr().out == "Removed what 0 steps had made: 0 bytes.\n"
    shutil.rmtree("results/people")
    assert main(["store", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:3] for line in lines] == [
        ["used", "ingest"],
        ["used", "deduplicate"],
    ]
    shutil.rmtree("results/other")
    n_bytes = sum(f.stat().st_size for f in STORE.glob("*/*/**/*") if f.is_file())
    assert main(["store", "gc"]) == 0
    said = f"Removed what 2 steps had made: {n_bytes:,} bytes.\n"
    assert capsys.readouterr().out == said
    assert Store(STORE).entries() == []


def test_where_files_are_copies_the_records_tell_what_is_used(monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", no_link)
    finished(store=Store(STORE))
    torn = Path("results/torn/records/ingest/a.json")
    torn.parent.mkdir(parents=True)
    torn.write_text("[]")
    assert main(["store", "gc"]) == 0
    assert len(Store(STORE).entries()) == 2
    shutil.rmtree("results/people/records")
    assert main(["store", "gc"]) == 0
    assert Store(STORE).entries() == []


@pytest.mark.usefixtures("first")
def test_other_folders_are_no_store_and_are_left_alone(capsys):
    kept = Path("home/photos/2020")
    kept.mkdir(parents=True)
    for folder in ("home", ".", "results", "results/people"):
        assert main(["store", "gc", "--store", folder]) == 1
        said = f"microleak: {folder} is no store. Correct --store.\n"
        assert capsys.readouterr().err == said
    (STORE / "mine/notes").mkdir(parents=True)
    (STORE / "ingest/notes").mkdir()
    assert main(["store", "gc"]) == 0
    assert kept.is_dir() and (STORE / "mine/notes").is_dir()
    assert (STORE / "ingest/notes").is_dir()


@pytest.mark.usefixtures("first")
def test_a_store_is_listed_from_any_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert main(["store", "list", "--store", str(tmp_path / STORE)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.usefixtures("first")
def test_a_store_that_a_run_writes_to_is_not_tidied_up(capsys):
    with Store(STORE).in_use():
        assert main(["store", "gc"]) == 1
    assert capsys.readouterr().err == (
        "microleak: A run is writing to results/.store. Wait for it, or stop it "
        "first.\n"
    )


def test_no_table_is_hashed_again_because_the_store_has_it_too(monkeypatch):
    monkeypatch.setattr("microleak.base.digests.CLOCK_STEP_NS", -(10**12))
    workshop = finished(store=Store(STORE))
    hashed = []
    real = digests.sha256_of
    monkeypatch.setattr(digests, "sha256_of", lambda p: hashed.append(p) or real(p))
    assert workshop.run() == []
    assert [path for path in hashed if path.suffix == ".parquet"] == []


def test_a_store_that_is_not_there_is_told(capsys):
    assert main(["store", "list", "--store", "nowhere"]) == 1
    said = "microleak: nowhere is no store. Correct --store.\n"
    assert capsys.readouterr().err == said


def test_what_is_told_to_use_no_store_has_none():
    finished()
    assert not STORE.exists()


def run_until(n_things, folder, text, name):
    """Run a study, and end at once when the store has done so many things."""
    left = iter(range(n_things))

    def dying(real):
        def function(*arguments):
            if next(left, None) is None:
                os._exit(9)
            return real(*arguments)

        return function

    os.chdir(folder)
    with pytest.MonkeyPatch.context() as patch:
        draw_plainly(patch)
        for place, part in (
            (module, "_link"),
            (module, "write_text"),
            (Store, "give"),
            (Store, "take"),
        ):
            patch.setattr(place, part, dying(getattr(place, part)))
        Workshop(text, name, Store(STORE)).run()


@pytest.mark.workflow
@pytest.mark.parametrize("moments", [[5], *long(range(1, 15))])
@pytest.mark.parametrize("text", [SHORT_STUDY, OTHER], ids=["giving", "taking"])
def test_a_kill_at_any_moment_of_giving_and_taking_leaves_no_half_entry(text, moments):
    name = "people.yaml" if text is SHORT_STUDY else "other.yaml"
    expected = finished(text, name.removesuffix(".yaml")).bytes()
    shutil.rmtree("results")
    if text is OTHER:
        finished(store=Store(STORE))
        shutil.copytree("results", "before", copy_function=os.link)
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.run.test_store", *STUDY_MODULES])
    for n_things in moments:
        process = processes.Process(
            target=run_until, args=(n_things, Path.cwd(), text, name)
        )
        process.start()
        process.join()
        assert process.exitcode in (0, 9)
        for entry in Store(STORE).entries():
            for path, sha in entry.files.items():
                assert Digests().of(entry.folder / path) == sha
        again = Workshop(text, name, Store(STORE))
        again.run()
        assert again.bytes() == expected, n_things
        shutil.rmtree("results")
        if text is OTHER:
            shutil.copytree("before", "results", copy_function=os.link)
    assert process.exitcode == (9 if moments == [5] else 0)


@pytest.mark.long
@pytest.mark.workflow
def test_two_studies_at_once_share_a_store(tmp_path):
    texts = {"one": SHORT_STUDY, "two": OTHER}
    names = {"one": "people", "two": "other"}
    runs = []
    for folder, text in texts.items():
        (tmp_path / folder).mkdir()
        shutil.copy("people.csv", tmp_path / folder)
        (tmp_path / folder / "study.yaml").write_text(text, encoding="utf-8")
        run = subprocess.Popen(
            [sys.executable, "-m", "microleak", "run", "study.yaml"],
            cwd=tmp_path / folder,
            env={**os.environ, "MICROLEAK_STORE": str(tmp_path / "shared")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        runs.append(run)
    said = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    kept = {e.folder.name: e for e in Store(tmp_path / "shared").entries()}
    assert len(kept) == 2
    links = {
        f.stat().st_nlink for e in kept.values() for f in e.folder.rglob("*.parq*")
    }
    assert links <= {2, 3}
    for folder, name in names.items():
        table = tmp_path / folder / "results" / name / "tables/people/1.parquet"
        assert Digests().of(table) in {
            s for e in kept.values() for s in e.files.values()
        }
        verified = microleak("verify", f"results/{name}", folder=tmp_path / folder)
        assert verified.returncode == 0, verified.output
