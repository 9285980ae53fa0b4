"""Which row of a person is drawn depends on the row's whole content and the seed."""

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from microleak.base.errors import StudyError
from microleak.base.machine import Resources
from microleak.sources.definitions.definition import ROW
from microleak.sources.steps.deduplicate import Choice, deduplicate
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.examples import examples
from tests.sources.released import delimited

COLUMNS = ["person", "a", "b", "c", "serial"]
ROWS = [
    [str(n // 3), "xy"[n % 2], str(n % 5), "" if n % 4 else "ç", str(n)]
    for n in range(90)
]


def text_of(rows, names=COLUMNS, order=None):
    order = order or range(len(names))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([[row[n] for n in order] for row in [names, *rows]])
    return text.getvalue()


def drawn(folder, text, attributes, seed=1, **options):
    archive = folder / "in.csv"
    archive.write_text(text, encoding="utf-8")
    table, receipt = folder / "table.parquet", folder / "receipt.json"
    definition = delimited(person_id="person", **options)
    ingest(ReadRelease(archive, tuple(attributes)), definition, table, receipt)
    ids = json.loads(receipt.read_text("utf-8"))
    choice = Choice(ids["person_id"], ids["record_id"], seed)
    people, counts = folder / "people.parquet", folder / "people.json"
    deduplicate(table, people, counts, choice, Resources(1, 1000, folder))
    read = pq.read_table(people)
    assert ROW not in read.column_names
    if "record_id" in options:
        return []
    return read.select(["person", "serial"]).to_pylist()


def test_the_order_of_rows_changes_no_drawn_record(tmp_path):
    before = drawn(tmp_path, text_of(ROWS), ["serial"])
    assert drawn(tmp_path, text_of(ROWS[::-1]), ["serial"]) == before


def test_another_seed_draws_other_records(tmp_path):
    before = drawn(tmp_path, text_of(ROWS), ["serial"])
    assert drawn(tmp_path, text_of(ROWS), ["serial"], seed=2) != before


def test_rows_that_differ_in_a_column_that_nobody_needs_have_a_fair_chance(
    tmp_path,
):
    # Of 2,000 persons with two rows of a and one of b, told apart by serial alone.
    rows = [
        [f"p{n}", "aab"[k], "", "", str(3 * n + k)]
        for n in range(2_000)
        for k in range(3)
    ]
    archive = text_of(rows)
    serials = [int(row["serial"]) % 3 for row in drawn(tmp_path, archive, ["serial"])]
    counts = Counter(serials)
    # Standard deviation of each: 21.
    assert all(abs(counts[k] - 2_000 / 3) < 100 for k in range(3))
    folder = tmp_path / "alone"
    folder.mkdir()
    assert drawn(folder, archive, ["a", "serial"]) == drawn(
        folder, archive, ["serial", "a"]
    )


def test_rows_of_equal_content_are_one_record(tmp_path):
    # Nine rows of one content and one of another: a fair draw is of two records.
    rows = [
        [f"p{n}", "a", "", "", "same" if k else "other"]
        for n in range(1_000)
        for k in range(10)
    ]
    found = drawn(tmp_path, text_of(rows), ["serial"])
    n_other = sum(row["serial"] == "other" for row in found)
    assert 420 < n_other < 580
    receipt = json.loads((tmp_path / "people.json").read_text("utf-8"))
    assert receipt["n_tied"] == 0


def test_two_columns_of_the_same_name_that_nobody_needs_are_both_looked_at(tmp_path):
    names = ["person", "x", "x", "", "serial"]
    rows = [["1", "a", str(n), "", "s"] for n in range(9)]
    drawn(tmp_path, text_of(rows, names), ["serial"])
    table = pq.read_table(tmp_path / "table.parquet")
    assert len(set(table[ROW].to_pylist())) == 9


def test_codes_are_those_of_the_file_as_text(tmp_path):
    # Neither 01 nor 1, nor 1 and 1.0, are one value in a column that nobody needs.
    rows = [["1", code, "", "", "s"] for code in ("1", "01", "1.0", "1e0", "", " 1")]
    drawn(tmp_path, text_of(rows), ["serial"])
    table = pq.read_table(tmp_path / "table.parquet")
    assert len(set(table[ROW].to_pylist())) == 6


def test_a_release_with_names_of_records_reads_no_other_column(tmp_path):
    drawn(tmp_path, text_of(ROWS), ["a", "serial"], record_id="serial")
    table = pq.read_table(tmp_path / "table.parquet")
    assert table.column_names == ["person", "serial", "a"]


def test_an_attribute_of_the_name_of_the_digest_is_refused(tmp_path):
    names = ["person", ROW, "b", "c", "serial"]
    with pytest.raises(StudyError, match="Rename the column"):
        drawn(tmp_path, text_of(ROWS, names), [ROW, "serial"])
    drawn(tmp_path, text_of(ROWS, names), ["serial"])


cells = st.sampled_from(["", "-", "1", "1:", "-:-", "é", "a,b", '"'])


@given(
    rows=st.lists(st.lists(cells, min_size=4, max_size=4), min_size=1, max_size=12),
    data=st.data(),
)
@settings(examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_choice_of_columns_changes_what_is_drawn(tmp_path, rows, data):
    rows = [[row[0] or "p", *row[1:], str(n)] for n, row in enumerate(rows)]
    before = drawn(tmp_path, text_of(rows), ["serial"])
    order = data.draw(st.permutations(range(5)))
    others = data.draw(st.lists(st.sampled_from(["a", "b", "c"]), unique=True))
    at = data.draw(st.integers(0, len(others)))
    attributes = [*others[:at], "serial", *others[at:]]
    assert drawn(tmp_path, text_of(rows, order=order), attributes) == before


def test_a_folder_of_files_with_columns_in_other_orders_is_one_release(tmp_path):
    def folder(*orders):
        name = tmp_path / str(len([*tmp_path.iterdir()]))
        (name / "in").mkdir(parents=True)
        for n, order in enumerate(orders):
            part = ROWS[n::2]
            (name / "in" / f"{n}.csv").write_text(text_of(part, order=order), "utf-8")
        table, receipt = name / "table.parquet", name / "receipt.json"
        wanted = ReadRelease(Path(name / "in"), ("serial",))
        ingest(wanted, delimited(person_id="person"), table, receipt)
        rows = pq.read_table(table).to_pylist()
        return {row["serial"]: row[ROW] for row in rows}

    assert folder(range(5), range(5)) == folder([4, 2, 0, 1, 3], range(5))
