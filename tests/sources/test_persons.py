"""A column that seems to name persons is told where nobody named one."""

import pytest

from microleak.base.progress import told_by
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.steps.persons import seeming_person
from tests.sources.released import delimited, plain, zipped


def rows(n_persons, n_records, name="NR_CPF"):
    records = (f"{i % n_persons:05d},{i % 3}\n" for i in range(n_records))
    return (f"{name},sex\n" + "".join(records)).encode()


def seeming(tmp_path, data, used=("sex",), **options):
    path = plain(tmp_path / "in.csv", data)
    return seeming_person(path, delimited(**options), used)


def test_a_column_named_as_persons_are_is_asked_for_where_values_repeat(tmp_path):
    said = "NR_CPF has 1,000 values in 2,500 records: does it identify people?"
    assert seeming(tmp_path, rows(1000, 2500)) == said


@pytest.mark.parametrize(
    ("n_persons", "n_records", "name"),
    [(1000, 1000, "id"), (3, 100, "id"), (50, 100, "town"), (50, 100, "idade")],
)
def test_what_names_records_groups_or_no_person_is_not(
    tmp_path, n_persons, n_records, name
):
    assert seeming(tmp_path, rows(n_persons, n_records, name)) is None


def test_missing_values_are_of_no_person(tmp_path):
    data = b"id,sex\n" + b"".join(b"%d,1\n,2\n" % i for i in range(50))
    assert seeming(tmp_path, data) is None


def test_a_column_that_is_known_or_there_twice_is_not(tmp_path):
    assert seeming(tmp_path, rows(50, 100), used=["NR_CPF"]) is None
    assert seeming(tmp_path, b"id,id,sex\n1,1,1\n1,1,2\n2,2,1\n") is None


def test_nothing_is_asked_where_the_study_names_persons(tmp_path):
    assert seeming(tmp_path, rows(50, 100), person_id="NR_CPF") is None


def test_the_column_with_most_values_is_meant(tmp_path):
    pairs = (f"{i // 3},{i // 2}\n" for i in range(100))
    data = ("id_home,id_person\n" + "".join(pairs)).encode()
    assert seeming(tmp_path, data).startswith("id_person has 50 values in 100 records")


def test_persons_of_one_file_who_are_in_another_have_several_records(tmp_path):
    header, *lines = rows(60, 60).splitlines(keepends=True)
    waves = {"a.csv": rows(60, 60), "b.csv": header + b"".join(reversed(lines))}
    path = zipped(tmp_path / "in.zip", waves)
    said = "NR_CPF has 60 values in 120 records: does it identify people?"
    assert seeming_person(path, delimited(), ["sex"]) == said


def test_reading_a_release_tells_it_and_changes_nothing_of_the_table(tmp_path):
    told = []
    written = []
    for n_persons in (60, 120):
        archive = plain(tmp_path / "in.csv", rows(n_persons, 120))
        table = tmp_path / "out.parquet"
        with told_by(told.append):
            release = ReadRelease(archive, ("sex",))
            ingest(release, delimited(), table, tmp_path / "out.json")
        written.append(table.read_bytes())
    assert written[0] == written[1]
    assert told == [
        "NR_CPF has 60 values in 120 records: does it identify people? With person_id "
        "under options in the study file each person counts once (docs/own-file.md)."
    ]
