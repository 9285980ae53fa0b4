import json
import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.base.errors import MicroleakError, TableError
from microleak.base.machine import Resources
from microleak.sources.steps import coded_rows
from microleak.sources.steps import deduplicate as steps
from microleak.sources.steps import intermediate as row_groups
from microleak.sources.steps.deduplicate import Choice, deduplicate
from tests.examples import thinned
from tests.watched import steps_watched

BY_RECORD = Choice("person", "record", 7)
BY_CONTENT = Choice("person", None, 7)
NO_PERSON = Choice(None, "record", 7)

# Every character that could confuse an encoding, a sort or SQL, and missing ones.
ODD_VALUES = ["", "-", "1", "1:", "1:1", "a", "a\0", "a\0b", "é", "'", '"', ";", None]


def naive_text(value):
    return "-" if value is None else f"{len(value.encode())}:{value}"


def naive_key(row, names, choice):
    record = row if choice.record_id is None else [row[names.index(choice.record_id)]]
    values = [row[names.index(choice.person_id)], *record]
    text = f"{choice.seed};" + "".join(map(naive_text, values))
    content = [(value is not None, (value or "").encode()) for value in row]
    return sha256(text.encode()).hexdigest(), content


def naive_people(rows, names, choice):
    """Definition of the choice, in the words of the docstring."""
    place = names.index(choice.person_id)
    people = {}
    for row in rows:
        people.setdefault(row[place], []).append(row)
    chosen = [
        min(people[person], key=lambda row: naive_key(row, names, choice))
        for person in sorted(people, key=str.encode)
    ]
    kept = [i for i, name in enumerate(names) if name != choice.record_id]
    return [[row[i] for i in kept] for row in chosen]


def odd_rows(n_rows):
    rng = random.Random(1)
    people = [value for value in ODD_VALUES if value is not None]
    return [
        [rng.choice(people), rng.choice(ODD_VALUES), rng.choice(ODD_VALUES)]
        for _ in range(n_rows)
    ]


class Deduplication:
    def __init__(self, folder):
        self.folder = folder
        self.table = folder / "table.parquet"
        self.people = folder / "people.parquet"
        self.receipt = folder / "people.json"
        self.scratch = folder / "scratch"

    def write(self, rows, names, row_group_size=1000):
        columns = [pa.array([row[i] for row in rows]) for i in range(len(names))]
        table = pa.table([c.cast(pa.string()) for c in columns], names)
        pq.write_table(table, self.table, row_group_size=row_group_size)

    def run(self, choice, threads=1, memory_mib=500):
        resources = Resources(threads, memory_mib, self.scratch)
        deduplicate(self.table, self.people, self.receipt, choice, resources)

    def people_of(self, rows, names, choice):
        self.write(rows, names)
        self.run(choice)
        return self.rows()

    def rows(self):
        columns = pq.read_table(self.people).columns
        return [
            list(row) for row in zip(*[c.to_pylist() for c in columns], strict=True)
        ]

    def counts(self):
        return json.loads(self.receipt.read_text())


@pytest.fixture
def job(tmp_path):
    return Deduplication(tmp_path)


NAMES = ["person", "record", "x"]


@pytest.mark.parametrize("choice", [BY_RECORD, BY_CONTENT, Choice("x", "person", 0)])
def test_the_choice_is_the_one_hashlib_makes(job, choice):
    rows = [row for row in odd_rows(3000) if row[2] is not None]
    expected = naive_people(rows, NAMES, choice)
    assert job.people_of(rows, NAMES, choice) == expected


def test_columns_that_differ_in_case_alone_are_two_columns(job):
    names = ["PERSON", "person", "record"]
    rows = odd_rows(500)
    choice = Choice("PERSON", "record", 3)
    expected = naive_people(rows, names, choice)
    assert job.people_of(rows, names, choice) == expected
    assert pq.read_schema(job.people).names == ["PERSON", "person"]


def test_a_column_name_may_hold_quotes_and_blanks(job):
    names = ['the "person"', "a;b", "it's"]
    rows = [["ana", "1", "x"], ["ana", "1", "x"]]
    choice = Choice('the "person"', "a;b", 1)
    assert job.people_of(rows, names, choice) == [["ana", "x"]]


def test_without_a_person_every_row_stays_sorted_with_missing_first(job):
    rows = [["b", "1", "x"], ["a", "2", "x"], ["a", "3", None], ["a", "4", "x"]]
    rows.append([None, "5", "z"])
    assert job.people_of(rows, NAMES, NO_PERSON) == [
        [None, "z"],
        ["a", None],
        ["a", "x"],
        ["a", "x"],
        ["b", "x"],
    ]
    assert job.counts()["n_dropped"] == 0


def test_the_receipt_counts_rows_persons_and_records(job):
    rows = [["ana", "1", "x"], ["ana", "2", "x"], ["ana", "2", "x"], ["ben", "3", "x"]]
    job.people_of([*rows, ["eva", "4", "y"], ["eva", "5", "y"]], NAMES, BY_RECORD)
    assert job.receipt.read_text() == (
        '{\n  "n_dropped": 3,\n  "n_persons_with_several": 2,\n  "n_read": 6,\n'
        '  "n_records": 3,\n  "n_tied": 1,\n  "person_id": "person",\n'
        '  "record_id": "record",\n  "seed": 7\n}\n'
    )


@pytest.mark.parametrize(
    ("records", "choice", "n_tied"),
    [
        (["1", "1"], BY_RECORD, 1),
        (["1", "2"], BY_RECORD, 0),
        ([None, None], BY_RECORD, 1),
        ([None, ""], BY_RECORD, 0),
        (["1", "1"], BY_CONTENT, 0),
    ],
)
def test_persons_are_counted_whose_record_leaves_a_choice(job, records, choice, n_tied):
    rows = [["ana", record, x] for record, x in zip(records, "xy", strict=True)]
    job.people_of([*rows, ["ben", "1", "x"]], NAMES, choice)
    assert job.counts()["n_tied"] == n_tied


def test_rows_of_a_record_that_is_not_chosen_do_not_count(job):
    rows = [["ana", "1", "x"], ["ana", "2", "x"], ["ana", "2", "y"]]
    found = set()
    for seed in range(20):
        ((_, kept),) = job.people_of(
            [*rows[:1], *rows[1:]], NAMES, Choice(*NAMES[:2], seed)
        )
        found.add((job.counts()["n_tied"], kept == "y"))
    assert found == {(0, False), (1, False)}


def test_an_empty_table_gives_no_people(job):
    assert job.people_of([], NAMES, BY_RECORD) == []
    assert pq.read_schema(job.people).names == ["person", "x"]
    assert job.counts()["n_records"] == 0


def test_a_table_without_row_groups_gives_no_people(job):
    schema = pa.schema([(name, pa.string()) for name in NAMES])
    pq.ParquetWriter(job.table, schema).close()
    job.run(BY_RECORD)
    assert job.rows() == []


@pytest.mark.usefixtures("in_small_parts")
@pytest.mark.parametrize("n_rows", [0, 1, 2500])
@pytest.mark.parametrize("choice", [NO_PERSON, Choice("record", "record", 7)])
def test_a_table_of_records_alone_gives_people_without_columns(job, choice, n_rows):
    rows = [[f"{i}"] for i in range(n_rows)]
    assert job.people_of(rows, ["record"], choice) == []
    assert pq.read_schema(job.people).names == []
    counts = job.counts()
    assert counts["n_read"] == counts["n_records"] == n_rows


def test_each_of_four_records_is_chosen_equally_often(job):
    n_people = 20_000
    rows = [
        [f"p{i}", f"{4 * i + k}", f"{k}"] for i in range(n_people) for k in range(4)
    ]
    chosen = Counter(row[1] for row in job.people_of(rows, NAMES, BY_RECORD))
    expected = n_people / 4
    statistic = sum((chosen[f"{k}"] - expected) ** 2 / expected for k in range(4))
    # A fair draw exceeds this with a chance of 1e-9 (chi-square, 3 degrees).
    assert statistic < 44.84


def test_two_people_with_the_same_records_are_drawn_independently(job):
    n_pairs = 20_000
    rows = [
        [f"{person}{i}", f"{i}-{k}", f"{k}"]
        for i in range(n_pairs)
        for person in "ab"
        for k in range(2)
    ]
    found = [row[1] for row in job.people_of(rows, NAMES, BY_RECORD)]
    pairs = Counter(zip(found[:n_pairs], found[n_pairs:], strict=True))
    expected = n_pairs / 4
    statistic = sum(
        (pairs[a, b] - expected) ** 2 / expected for a in "01" for b in "01"
    )
    assert statistic < 44.84


def test_another_seed_draws_anew(job):
    n_people = 20_000
    rows = [[f"p{i}", f"{k}", f"{k}"] for i in range(n_people) for k in range(2)]
    draws = [job.people_of(rows, NAMES, Choice("person", "record", s)) for s in (1, 2)]
    n_same = sum(a == b for a, b in zip(*draws, strict=True))
    # Half, within 6.1 standard deviations: a chance of 1e-9.
    assert abs(n_same - n_people / 2) < 6.11 * (n_people / 4) ** 0.5


@pytest.mark.parametrize("choice", thinned([BY_RECORD, BY_CONTENT, NO_PERSON]))
def test_order_row_groups_and_threads_change_no_byte(job, choice):
    n_rows = 130_000
    rows = [[f"{i * 7919 % 90_001}", f"{i}", f"{i % 11}"] for i in range(n_rows)]
    found = set()
    for seed, row_group_size, threads in [(1, 50_000, 1), (2, 123_457, 2)]:
        random.Random(seed).shuffle(rows)
        job.write(rows, NAMES, row_group_size)
        job.run(choice, threads)
        found.add((job.people.read_bytes(), job.receipt.read_bytes()))
    assert len(found) == 1


def test_row_groups_of_people_have_a_fixed_size(job, monkeypatch):
    monkeypatch.setattr(row_groups, "ROWS_IN_A_GROUP", 1000)
    job.people_of([[f"p{i}", "1", "x"] for i in range(2500)], NAMES, BY_RECORD)
    parts = pq.ParquetFile(job.people).metadata
    sizes = [parts.row_group(i).num_rows for i in range(parts.num_row_groups)]
    assert sizes == [1000, 1000, 500]


def test_dictionary_columns_are_text(job):
    person = pa.array(["ana", "ana", None, "ben"]).dictionary_encode().take([0, 1, 3])
    pq.write_table(pa.table({"person": person, "record": ["1", "1", "2"]}), job.table)
    job.run(BY_RECORD)
    assert job.rows() == [["ana"], ["ben"]]


def test_what_a_table_says_of_itself_is_kept(job):
    note = pa.schema([("person", pa.string())], {"data": "SYNTHETIC"})
    pq.write_table(pa.table([pa.array(["ana"])], schema=note), job.table)
    job.run(BY_CONTENT)
    assert pq.read_schema(job.people).metadata[b"data"] == b"SYNTHETIC"


def test_a_folder_may_have_a_name_that_looks_like_a_pattern(tmp_path):
    folder = tmp_path / "year=2018 [a] it's*"
    folder.mkdir()
    job = Deduplication(folder)
    found = job.people_of([["ana", "1", "x"]], NAMES, BY_RECORD)
    assert found == [["ana", "x"]]
    assert pq.read_schema(job.people).names == ["person", "x"]


def test_rows_without_a_person_are_refused_by_their_number(job):
    job.write([[None, "1", "x"], ["ana", "2", "x"], [None, "3", "x"]], NAMES)
    with pytest.raises(
        TableError, match=r"person, which .* missing in 2 of the rows"
    ) as caught:
        job.run(BY_RECORD)
    assert "ana" not in str(caught.value)


@pytest.mark.parametrize("name", ["person", "record"])
def test_an_identifier_that_is_too_long_is_refused_by_its_column(job, name):
    good = {"person": "é" * 128, "record": "a" * 256, "x": "b" * 1000}
    assert job.people_of([[*good.values()]], NAMES, BY_RECORD) == [
        [good["person"], good["x"]]
    ]
    bad = good | {name: good[name] + "a"}
    job.write([["ana", "1", "x"], [*bad.values()]], NAMES)
    with pytest.raises(
        TableError,
        match=rf"table\.parquet: {name} has a value of 257 bytes, .* has 256 at most",
    ) as caught:
        job.run(BY_RECORD)
    assert "aa" not in str(caught.value)
    assert "éé" not in str(caught.value)


def test_what_names_a_record_may_be_long_where_rows_have_no_person(job):
    rows = [["ana", "1" * 1000, "x"]]
    assert job.people_of(rows, NAMES, NO_PERSON) == [["ana", "x"]]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice("PERSON", "record", 1), "no column PERSON.*person_id.*person, record"),
        (Choice("person", "id", 1), "no column id.*record_id"),
    ],
)
def test_a_column_that_the_table_lacks_is_named(job, choice, words):
    job.write([["ana", "1", "x"]], NAMES)
    with pytest.raises(TableError, match=words):
        job.run(choice)


def test_a_column_that_is_not_text_is_named(job):
    pq.write_table(pa.table({"person": ["ana"], "n": [1]}), job.table)
    with pytest.raises(TableError, match="must be text, but n is not"):
        job.run(BY_CONTENT)


@pytest.mark.parametrize("content", [None, b"", b"PAR1 no PAR1", b"<html>"])
def test_a_table_that_is_not_parquet_is_refused(job, content):
    if content is not None:
        job.table.write_bytes(content)
    with pytest.raises(TableError, match=r"table\.parquet cannot be read as Parquet"):
        job.run(BY_RECORD)


def damage(path):
    """Overwrite the values of a file whose footer stays as it was."""
    content = bytearray(path.read_bytes())
    content[4:-2000] = b"\xff" * len(content[4:-2000])
    path.write_bytes(content)


def test_a_damaged_table_is_refused_without_showing_a_cell(job):
    job.write([[f"secret{i}", "1", "x"] for i in range(5000)], NAMES)
    damage(job.table)
    with pytest.raises(MicroleakError, match="damaged, delete it") as caught:
        job.run(BY_RECORD)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("choice", [BY_RECORD, BY_CONTENT, NO_PERSON])
@pytest.mark.parametrize("rows", [[], [["ana", "1", "x"]], [["ana", "1", "x"]] * 9])
def test_progress_comes_to_its_total(job, choice, rows):
    with steps_watched() as watched:
        job.people_of(rows, NAMES, choice)
    ((_, expected, advances),) = watched
    assert expected == 4 * len(rows) == sum(advances)


@pytest.fixture
def in_small_parts(monkeypatch):
    """Cut tables into many buckets that wait in files, and codes into short words."""
    monkeypatch.setattr(steps, "MOST_ROWS", 40)
    monkeypatch.setattr(steps, "WAITING", 0)
    monkeypatch.setattr(coded_rows, "WORD_BITS", 9)
    monkeypatch.setattr(coded_rows, "SAMPLED", 3)


def odd_people(seed):
    """Rows of many persons with identifiers that are hard to sort, and few values."""
    rng = random.Random(seed)
    letters = ["a", "\0", "é", "1", "\U0001f600"]
    people = ["".join(rng.choices(letters, k=rng.randrange(20))) for _ in range(150)]
    return [
        [rng.choice(people), rng.choice(ODD_VALUES), *rng.choices(ODD_VALUES, k=3)]
        for _ in range(400)
    ]


WIDE = ["person", "record", "x", "y", "z"]


@pytest.mark.usefixtures("in_small_parts")
@pytest.mark.parametrize("choice", [BY_RECORD, BY_CONTENT])
@pytest.mark.parametrize("seed", range(5))
def test_persons_of_many_ranges_are_those_of_the_definition(job, choice, seed):
    rows = odd_people(seed)
    job.write(rows, WIDE, row_group_size=70)
    job.run(choice, threads=2)
    assert job.rows() == naive_people(rows, WIDE, choice)
    several = Counter(row[0] for row in rows)
    assert job.counts()["n_persons_with_several"] == sum(
        n > 1 for n in several.values()
    )
    assert job.counts()["n_dropped"] == len(rows) - len(several)


@pytest.mark.usefixtures("in_small_parts")
@pytest.mark.parametrize("seed", range(5))
def test_rows_without_a_person_are_all_there_in_their_order(job, seed, monkeypatch):
    monkeypatch.setattr(steps, "ROWS_IN_A_GROUP", 7)
    rows = odd_people(seed) + [["ana", "1", None, "x", "y"]] * 100
    job.write(rows, WIDE, row_group_size=70)
    job.run(NO_PERSON, threads=2)
    kept = [[row[0], *row[2:]] for row in rows]
    by_bytes = [[(v is not None, (v or "").encode()) for v in row] for row in kept]
    expected = [kept[i] for i in sorted(range(len(kept)), key=by_bytes.__getitem__)]
    assert job.rows() == expected
    assert job.counts()["n_records"] == len(rows)


@pytest.mark.parametrize("choice", [BY_RECORD, NO_PERSON])
def test_rows_that_take_turns_are_cut_as_evenly_as_others(job, choice, monkeypatch):
    # The first of each 100 rows is of the few whose identifiers begin otherwise.
    monkeypatch.setattr(steps, "MOST_ROWS", 5000)
    n_rows = 30_000
    people = [f"{'m' if i % 100 else 'a'}{i * 7919 % n_rows:05}" for i in range(n_rows)]
    job.write([[each, f"{i}", "x"] for i, each in enumerate(people)], NAMES, n_rows)
    n_rows_of, take = [], steps._Waiting.take
    monkeypatch.setattr(
        steps._Waiting,
        "take",
        lambda self, bucket: (
            n_rows_of.append(self.shelf.n_rows(bucket)) or take(self, bucket)
        ),
    )
    job.run(choice)
    assert [row[0] for row in job.rows()] == sorted(people)
    assert len(n_rows_of) == 6
    assert max(n_rows_of) < 8000


def test_a_failure_leaves_the_last_good_files_and_no_thread_or_temporary_file(
    job,
):
    job.people_of([["ana", "1", "x"]], NAMES, BY_RECORD)
    before = job.people.read_bytes(), job.receipt.read_bytes()
    n_threads = threading.active_count()
    job.write([[f"secret{i}", "1", "x"] for i in range(5000)], NAMES)
    damage(job.table)
    with pytest.raises(MicroleakError, match="stopped"):
        job.run(BY_RECORD)
    assert (job.people.read_bytes(), job.receipt.read_bytes()) == before
    assert threading.active_count() == n_threads
    assert list(job.scratch.iterdir()) == []


@pytest.mark.parametrize("is_of_one_person", [True, False])
def test_too_little_memory_names_the_setting(job, is_of_one_person, monkeypatch):
    rows = [[f"{i}" * 9, f"{i}", "x" * 50] for i in range(100_000)]
    if is_of_one_person:
        monkeypatch.setattr(steps, "LEAST_ROWS", 1)
        rows = [["ana", f"{i}", "x"] for i in range(9000)]
    job.write(rows, NAMES)
    with pytest.raises(MicroleakError, match="more memory than 3 MiB"):
        job.run(BY_RECORD, memory_mib=3)


def long_values(n_rows, n_values):
    """Rows with a value of 1,000 bytes, one after the other of so many."""
    return [[f"{i}", "1", f"{i % n_values:01000}"] for i in range(n_rows)]


def test_values_that_row_groups_share_are_held_once(job):
    job.write(long_values(30_000, 1000), NAMES, row_group_size=1000)
    resources = Resources(2, 500, job.scratch)
    before = pa.total_allocated_bytes()
    with ThreadPoolExecutor(2) as pool:
        rows = coded_rows.coded_rows(
            job.table, ["person", "record"], ["x"], resources, pool, lambda n: None
        )
    held = pa.total_allocated_bytes() - before
    # The dictionaries of all row groups together are 30 MB.
    assert 10**6 < rows.n_bytes < 1.2e6
    assert held < 2e6
    assert rows.coded["x"].values.to_pylist() == [f"{i:01000}" for i in range(1000)]


@pytest.mark.parametrize("choice", [BY_RECORD, NO_PERSON])
def test_values_that_do_not_fit_name_the_column_and_the_setting(job, choice):
    job.write(long_values(4000, 4000), NAMES)
    with pytest.raises(
        MicroleakError,
        match=r"table\.parquet: the distinct values .* more than the 2 MiB .* of x the "
        r"most: at least [34],000\. Give the rule deduplicate more memory than 8 MiB ",
    ) as caught:
        job.run(choice, memory_mib=8)
    assert "0000" not in str(caught.value)
    assert not job.people.exists()
    job.write(long_values(4000, 1000), NAMES)
    job.run(choice, memory_mib=8)
    assert len(job.rows()) == 4000


def test_the_folder_of_temporary_files_is_named_as_unfinished_things(job, monkeypatch):
    seen, connect = [], duckdb.connect

    def noted(*args, config):
        seen.append(Path(config["temp_directory"]))
        return connect(*args, config=config)

    monkeypatch.setattr(duckdb, "connect", noted)
    job.people_of([["ana", "1", "x"]], NAMES, BY_RECORD)
    (folder,) = seen
    assert folder.parent == job.scratch
    assert folder.name.startswith(".unfinished-deduplicate-")
