from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from benchmarks.process import Limits
from benchmarks.run import run
from benchmarks.scale import LEAN_MIB, PROFILE_MIB, SCALES, STATE, PeerRun
from benchmarks.subject import OUTPATIENT, STUDENTS
from benchmarks.way_in import WayIn

TINY = replace(
    STATE,
    twin_size=1_500,
    records=(400, 1_000),
    n_qids=(7,),
    peers=(PeerRun("polars", 7), PeerRun("duckdb", 7, n_records=400)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def found(calls, folder):
    return run(TINY, folder, Limits(2, 4, 120))


def test_a_run_measures_fewer_records_one_thread_and_less_memory(found):
    assert found["is_same_bytes"]
    names = ("n_records", "n_threads", "memory_mib")
    assert [tuple(map(p.get, names)) for p in found["profiles"]] == [
        (400, 2, PROFILE_MIB),
        (1_000, 2, PROFILE_MIB),
        (1_500, 2, PROFILE_MIB),
        (400, 1, PROFILE_MIB),
        (1_500, 1, PROFILE_MIB),
        (1_500, 2, LEAN_MIB),
    ]


def test_peers_count_what_microleak_counts(found):
    assert [(p["peer"], p["n_records"], p["n_compared"]) for p in found["peers"]] == [
        ("polars", 1_500, 13),
        ("duckdb", 400, 13),
    ]
    assert all(p["n_identical"] == p["n_compared"] for p in found["peers"])


def test_the_values_of_the_sensitive_attribute_are_counted(found, folder):
    people = pq.read_table(folder / "outpatient/people.parquet")
    assert found["n_values"] == (len(people["PA_PROC_ID"].unique()),)


def test_peers_count_numbers_of_records_that_are_measured():
    for scale in SCALES.values():
        counted = {part.n_records for part in scale.peers} - {None}
        assert counted <= set(scale.records), scale.name


LIMITS = Limits(1, 4, 120)


def way_in_of(folder, subject, size):
    made = WayIn(folder, subject, size, LIMITS)
    made.steps()
    return made


@pytest.fixture(scope="module")
def students(calls, tmp_path_factory):
    return way_in_of(tmp_path_factory.mktemp("students"), STUDENTS, 27)


@pytest.fixture(scope="module")
def lines(calls, tmp_path_factory):
    return way_in_of(tmp_path_factory.mktemp("lines"), OUTPATIENT, 1_200)


def test_students_end_as_one_record_a_person(students):
    people = pq.read_table(students.people)
    assert people.column_names[0] == "ID_ALUNO"
    assert len(people["ID_ALUNO"].unique()) == len(people) == students.n_records
    assert students.n_records < students.n_rows


def test_of_outpatient_data_every_valid_line_is_a_record(lines):
    people = pq.read_table(lines.people)
    analysis = OUTPATIENT.analysis
    assert people.column_names == [*analysis.qids, *analysis.sensitive]
    assert len(people) == lines.n_records == 1_200 < lines.n_rows


def test_the_raw_release_is_removed_once_it_is_read(students, lines):
    for way_in in (students, lines):
        assert (way_in.raw.exists(), way_in.people.exists()) == (False, True)


def test_steps_that_are_done_are_not_done_again(lines, calls):
    before = len(calls)
    names = [step["name"] for step in lines.steps()]
    assert names == ["synthesise", "ingest", "deduplicate"]
    assert calls[before:] == []


def test_a_run_that_was_stopped_goes_on_without_the_raw_release(lines, calls):
    (lines.folder / "deduplicate.taken.json").unlink()
    before = len(calls)
    lines.steps()
    assert calls[before:] == ["make_people"]


@pytest.mark.long
def test_tables_of_other_code_are_made_again(lines, calls):
    (lines.folder / "made-by.txt").write_text("other code\n", encoding="utf-8")
    before = len(calls)
    lines.steps()
    assert calls[before:] == ["make_outpatient", "make_table", "make_people"]


def test_tables_of_another_size_are_made_again(students, lines, calls):
    assert way_in_of(lines.folder, OUTPATIENT, 1_300).n_records == 1_300
