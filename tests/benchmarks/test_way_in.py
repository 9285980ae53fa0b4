import json

import pyarrow.parquet as pq
import pytest

from benchmarks.process import Limits
from benchmarks.way_in import WayIn

ATTRIBUTES = ("TP_SEXO", "IN_TRANSPORTE_PUBLICO")


@pytest.fixture(scope="module")
def way_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scratch") / "tiny"
    made = WayIn(folder, 27, ATTRIBUTES, Limits(1, 4, 120))
    made.steps()
    return made


def test_the_way_in_ends_with_one_record_a_person(way_in):
    people = pq.read_table(way_in.people)
    assert people.column_names == ["ID_ALUNO", *ATTRIBUTES]
    assert len(people["ID_ALUNO"].unique()) == len(people)
    assert way_in.receipt()["n_records"] == len(people)


def test_tables_that_are_there_are_used_again_with_what_they_took(way_in):
    taken = way_in.folder / "table.taken.json"
    first = json.loads(taken.read_text(encoding="utf-8"))
    made = way_in.people.stat().st_mtime_ns
    assert [step.name for step in way_in.steps()] == [
        "synthesise",
        "ingest",
        "deduplicate",
    ]
    assert way_in.steps()[1].wall_s == first["wall_s"]
    assert way_in.people.stat().st_mtime_ns == made


def test_tables_of_other_code_are_made_again(way_in):
    (way_in.folder / "made-by.txt").write_text("other code\n", encoding="utf-8")
    made = way_in.people.stat().st_mtime_ns
    way_in.steps()
    assert way_in.people.stat().st_mtime_ns > made
