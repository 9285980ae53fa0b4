"""Before the first job archives are looked at, and what lies where results will."""

import gzip
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from microleak.base.errors import ArchiveError, StudyError, TableError
from microleak.base.locks import RUN, only_run
from microleak.cli import main
from microleak.run.before import (
    bring_to_now,
    check_archives,
    check_memory,
    check_study_of_results,
    note_study_file,
)
from microleak.run.display import display
from microleak.run.workflow import STUDY_OF_RUN, warn_of_replaced
from microleak.study.public_report import public_tables
from tests.study_file.given import loaded
from tests.workflow.conftest import CSV_STUDY, PEOPLE

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {1: {archive: ARCHIVE}, 2: {archive: ARCHIVE}}
analyses:
  collective:
    - {name: one, table: people, focal: 1, qids: [age, occupation]}
"""
LATER = 4_000_000_000


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,age,occupation\n1,25,x\n", encoding="utf-8")
    return path


def check(archive, text=STUDY):
    study = loaded(archive.parent, text.replace("ARCHIVE", str(archive)))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(archive.parent)
        check_archives(study, Path("demo.yaml"))


@pytest.mark.parametrize("of", ["itself", "folder"])
def test_a_last_line_that_may_be_cut_is_refused_before_jobs(archive, rows, words, of):
    archive.write_text(f"id,age,occupation\n{rows}", encoding="utf-8")
    given = archive
    if of == "folder":
        given = archive.parent / "data"
        given.mkdir()
        archive.rename(given / archive.name)
    text = STUDY.replace("ARCHIVE", str(given))
    with pytest.raises(TableError, match=words):
        check_archives(loaded(archive.parent, text), Path("demo.yaml"))


def test_a_last_line_without_end_passes_where_the_study_vouches_for_it(archive):
    archive.write_text("id,age,occupation\n1,25,x", encoding="utf-8")
    check(archive, STUDY.replace("{archive: ARCHIVE}", "{archive: ARCHIVE, n_rows: 1}"))


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_a_packed_file_is_not_taken_for_its_last_line(archive, name):
    given = archive.with_name(name)
    given.write_bytes(gzip.compress(archive.read_bytes(), mtime=0))
    check(given)


def test_a_zip_of_the_name_of_its_member_is_not_taken_for_its_last_line(archive):
    text = archive.read_text(encoding="utf-8")
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(archive.name, text)
    check(archive)


def test_a_file_deeper_in_a_folder_is_left_to_the_reading(archive):
    deep = archive.parent / "folder/deep"
    deep.mkdir(parents=True)
    archive.rename(deep / archive.name)
    check(deep.parent)


def test_a_misspelt_attribute_of_a_delimited_table_is_refused(archive, wrong, words):
    with pytest.raises(TableError, match=words):
        check(archive, STUDY.replace("occupation", wrong))


def test_each_place_of_the_study_file_that_names_a_missing_attribute_is_told(archive):
    text = STUDY.replace("qids: [age, occupation]", "qids: all").replace(
        "analyses:",
        """\
qid_sets: {all: [age, rase]}
hierarchies: {ocupation: {}}
protections:
  coarse:
    table: people
    release: 1
    steps: [{generalise: {ocupation: 1}}, {suppress: [age, rase], k: 2}]
tabulations: [{name: ages, table: people, attributes: [age, rase], by: age}]
analyses:""",
    )
    with pytest.raises(TableError) as error:
        check(archive, text)
    assert str(error.value).endswith(
        "line 1 has no column rase, ocupation. Correct the attribute's name in "
        "demo.yaml (rase: qid_sets.all, the 2nd entry of protections.coarse.steps: "
        "suppress, the 1st entry of tabulations: attributes; ocupation: hierarchies, "
        "the 1st entry of protections.coarse.steps: generalise), or archive."
    )


@pytest.mark.parametrize("n_deep", [1, 2])
def test_the_header_of_a_zipped_table_is_looked_at(archive, n_deep):
    for name in ("1.zip", "2.zip")[:n_deep]:
        with zipfile.ZipFile(archive.with_name(name), "w") as file:
            file.write(archive, archive.name)
        archive = archive.with_name(name)
    check(archive)
    with pytest.raises(TableError, match=r"people\.csv: line 1 has no column ocup"):
        check(archive, STUDY.replace("occupation", "ocupation"))


def test_a_header_is_read_only_where_an_analysis_uses_the_release(archive):
    """Release 2 has another header, and no analysis."""
    other = archive.with_name("other.csv")
    other.write_text("x\n1\n", encoding="utf-8")
    check(archive, STUDY.replace("2: {archive: ARCHIVE", f"2: {{archive: {other}"))


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda archive: None, r"demo\.yaml: people 1: there is no archi"),
        (os.mkfifo, r"people\.csv is neither a file nor a f"),
        (
            lambda archive: archive.touch() or os.utime(archive, (LATER, LATER)),
            r"people 1: .*csv is dated later than now",
        ),
    ],
    ids=["not there", "a pipe", "from the future"],
)
def test_an_archive_that_cannot_be_is_refused(archive, harm, words):
    archive.unlink()
    harm(archive)
    with pytest.raises(ArchiveError, match=words):
        check(archive)


def rebuilding(folder, **sizes):
    rows = (
        f"    - {{name: {name}, attacks: [linear], entries: [{n}], queries: [n**2], "
        "errors: [1], repeats: 5000}\n"
        for name, n in sizes.items()
    )
    text = "study: demo\nseed: 7\nanalyses:\n  reconstruction:\n"
    return loaded(folder, text + "".join(rows))


def test_databases_that_fit_the_memory_pass(tmp_path):
    check_memory(rebuilding(tmp_path, small=10, large=1000), Path("demo.yaml"), 8000)


def test_databases_beyond_the_memory_are_refused_before_the_run(tmp_path):
    study = rebuilding(tmp_path, small=10, large=9000)
    words = r"^demo\.yaml: analysis 'large': The linear attack on n = 9000 .* 8000 MB"
    with pytest.raises(StudyError, match=words):
        check_memory(study, Path("demo.yaml"), 8000)


def test_only_what_is_from_the_future_is_brought_to_now(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "inner" / "new.csv"
    new.parent.mkdir()
    old.touch()
    new.touch()
    for path, when in ((old, 1000), (new, LATER), (new.parent, LATER)):
        os.utime(path, (when, when))
    bring_to_now(tmp_path)
    assert old.stat().st_mtime == 1000
    assert 1000 < new.stat().st_mtime == new.parent.stat().st_mtime <= time.time()


def test_a_link_does_not_have_the_file_it_leads_to_changed(tmp_path):
    outside = tmp_path / "outside.csv"
    outside.touch()
    os.utime(outside, (LATER, LATER))
    results = tmp_path / "results"
    results.mkdir()
    (results / "link.csv").symlink_to(outside)
    bring_to_now(results)
    assert outside.stat().st_mtime == LATER


def test_results_of_another_study_file_are_not_written_over(tmp_path):
    manifest = tmp_path / "manifest.json"
    manifest.write_text('{"config": {"name": "m8.yaml"}}', encoding="utf-8")
    check_study_of_results(tmp_path, Path("other/m8.yaml"))
    with pytest.raises(StudyError, match=r"another study file, m8\.yaml. Give study"):
        check_study_of_results(tmp_path, Path("m14.yaml"))
    manifest.write_text("cut", encoding="utf-8")
    check_study_of_results(tmp_path, Path("m14.yaml"))


def test_unfinished_results_of_another_file_are_not_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, first, other = Path("results/demo"), Path("m8.yaml"), Path("m14.yaml")
    folder.mkdir(parents=True)
    first.write_text("study: demo # first")
    other.write_text("study: demo # other")
    note_study_file(folder, first)
    check_study_of_results(folder, first)
    with pytest.raises(StudyError, match=r"study file, m8\.yaml\. .* remove .*/demo\."):
        check_study_of_results(folder, other)
    check_study_of_results(folder, first.replace(other))


@pytest.mark.parametrize("first", ["a/s.yaml", "s.yaml"])
def test_study_files_of_one_name_in_two_folders_do_not_replace_each_others_results(
    tmp_path, monkeypatch, first
):
    monkeypatch.chdir(tmp_path)
    folder, files = Path("results/demo"), [Path(first), Path("b/s.yaml")]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"study: demo # {file.parent}")
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"config": {"name": "s.yaml"}}')
    check_study_of_results(folder, files[1])
    note_study_file(folder, files[0].absolute())
    check_study_of_results(folder, files[0])
    with pytest.raises(StudyError, match=rf"b/s\.yaml: .* file, {first}\. Give"):
        check_study_of_results(folder, files[1])
    Path("c").mkdir()
    check_study_of_results(folder, files[0].replace("c/s.yaml"))


POOLED = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases: {1: {archive: one/people.csv}, 2: {archive: SECOND}, 3: {archive: c.zip}}
pooled: {all: {table: people, releases: [1, 2, 3], attribute: year}}
analyses:
  collective:
    - {name: one, table: people, focal: all, qids: [age, sex]}
"""
ROWS = b"age,sex\n" + b"".join(b"%d,f\n%d,m\n" % (n, n) for n in range(50))
OTHERS = ROWS.replace(b"f\n", b"x\n")


def pooled(folder, second, rows, third):
    (folder / "one").mkdir()
    (folder / "one/people.csv").write_bytes(ROWS)
    if not (folder / second).exists():
        (folder / second).parent.mkdir(exist_ok=True)
        (folder / second).write_bytes(rows)
    with zipfile.ZipFile(folder / "c.zip", "w") as file:
        file.writestr("c.csv", third)
    check(folder / "x", POOLED.replace("SECOND", second))


@pytest.mark.parametrize(
    ("second", "rows", "third", "words"),
    [
        ("one/people.csv", b"", OTHERS, "people.csv and people.csv are the same file"),
        ("two/people.csv", ROWS, OTHERS, "people.csv and people.csv are the same file"),
        ("b.csv", ROWS, OTHERS, "people.csv and b.csv are the same file"),
        ("b.csv", OTHERS, ROWS, "people.csv and c.csv are the same file"),
        ("b.csv", OTHERS, OTHERS, "b.csv and c.csv are the same file"),
        ("b.csv", OTHERS, ROWS[:200], "one has all records of the other"),
        ("b.csv", b"\xef\xbb\xbf" + ROWS, OTHERS, "are the same file"),
        ("b.csv", ROWS.replace(b"\n", b"\r\n"), OTHERS, "are the same file"),
        ("b.dat", ROWS, OTHERS, "people.csv and b.dat are the same file"),
        ("b.csv", OTHERS, OTHERS + b"99,x\n", "one has all records of the other"),
    ],
)
def test_a_release_pooled_twice_is_refused(tmp_path, second, rows, third, words):
    with pytest.raises(ArchiveError) as error:
        pooled(tmp_path, second, rows, third)
    assert str(error.value).startswith("demo.yaml: pooled 'all' of 1, 2, 3: ")
    assert words in str(error.value)


def test_releases_that_differ_are_pooled(tmp_path):
    pooled(tmp_path, "b.csv", OTHERS, ROWS.replace(b"m\n", b"y\n"))


@pytest.mark.parametrize("is_link", [True, False])
def test_what_is_in_the_place_of_the_study_files_copy_is_named(
    tmp_path, monkeypatch, capsys, is_link
):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("people.yaml").write_text(CSV_STUDY, encoding="utf-8")
    Path("elsewhere").mkdir()
    STUDY_OF_RUN.parent.mkdir()
    if is_link:
        STUDY_OF_RUN.symlink_to(tmp_path / "elsewhere")
    else:
        STUDY_OF_RUN.write_text("")
    assert main(["run", "people.yaml"]) == 1
    assert f"{STUDY_OF_RUN} is a link or a file" in capsys.readouterr().err
    assert Path("elsewhere").is_dir()


def test_a_lock_of_a_process_that_is_no_more_holds_nobody(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gone = "from microleak.base.locks import only_run\nonly_run('one').__enter__()"
    ends = f"import os\n{gone}\nos._exit(9)"
    subprocess.run([sys.executable, "-c", ends], check=False)
    assert RUN.read_text("utf-8") == "one"
    with only_run("two"):
        assert RUN.read_text("utf-8") == "two"


@pytest.mark.parametrize(
    ("audience", "table", "is_told"),
    [
        ("public", "n\n1\n", False),
        ("public", "n\n2\n", True),
        ("public", None, True),
        ("internal", "n\n2\n", False),
    ],
    ids=["same", "other", "removed", "internal"],
)
def test_a_replaced_public_report_is_told(tmp_path, capsys, audience, table, is_told):
    mine = tmp_path / "mine"
    (mine / "report/data").mkdir(parents=True)
    metadata = json.dumps({"audience": audience})
    (mine / "report/data/metadata.json").write_text(metadata)
    file = mine / "report/data/town-noisy_counts.csv"
    file.write_text("n\n1\n")
    earlier = public_tables(mine)
    (mine / "report/index.html").write_text("another version")
    file.unlink() if table is None else file.write_text(table)
    with display(tmp_path, mine, is_verbose=False) as shown:
        warn_of_replaced(mine, earlier, shown)
    said = capsys.readouterr().err
    begins = f"warning: the public report that {mine} had before this run is replaced"
    assert (begins in said) == is_told
