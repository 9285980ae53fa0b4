import pyarrow.parquet as pq
import pytest

from benchmarks.process import Limits
from benchmarks.subject import OUTPATIENT, STUDENTS
from benchmarks.way_in import WayIn

LIMITS = Limits(1, 4, 120)


@pytest.fixture(scope="module")
def students(calls, tmp_path_factory):
    made = WayIn(tmp_path_factory.mktemp("students"), STUDENTS, 27, LIMITS)
    made.steps()
    return made


@pytest.fixture(scope="module")
def lines(calls, tmp_path_factory):
    made = WayIn(tmp_path_factory.mktemp("lines"), OUTPATIENT, 1_200, LIMITS)
    made.steps()
    return made


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


@pytest.mark.parametrize("subject", ["students", "lines"])
def test_the_raw_release_is_removed_once_it_is_read(subject, request):
    way_in = request.getfixturevalue(subject)
    assert not way_in.raw.exists()
    assert way_in.people.exists()


def test_steps_that_are_done_are_not_done_again(lines, calls):
    before = len(calls)
    assert [step["name"] for step in lines.steps()] == [
        "synthesise",
        "ingest",
        "deduplicate",
    ]
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
    other = WayIn(lines.folder, OUTPATIENT, 1_300, LIMITS)
    other.steps()
    assert other.n_records == 1_300
