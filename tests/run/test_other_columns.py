"""A study of other attributes takes the columns that others have read, or reads."""

import csv
import io
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.base.errors import TableError
from microleak.base.flock import is_locked
from microleak.run.other_columns import OtherColumns
from microleak.run.store import MARK, STORE, Store
from microleak.sources.definitions.definition import ROW, source_definition
from microleak.sources.formats.reader import ReadSizes
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.steps.intermediate import write_columns
from tests.sources.dbc_files import written, year_of_files
from tests.workflow.workshop import VISITS, Workshop, copied, draw_plainly, made_in

STUDY = """\
study: NAME
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id, record_id: number}
    releases:
      "1": {archive: 1.csv}
      "2": {archive: 2.csv}
analyses:
  collective:
    - {name: people, table: people, focal: "1", auxiliary: ["2"], qids: [QIDS]}
report: {languages: [en]}
"""
HEADER = ["id", "number", "age", "sex", "city", "ill"]
ALL = ("age", "sex", "city")


def released(seed):
    """A release in which some persons have several records, and values are missing."""
    draw = random.Random(seed)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for number in range(60):
        values = [draw.choice(each) for each in ("129", "FM", "ABC", ["y", "n", ""])]
        writer.writerow([draw.randrange(40), number, *values])
    return text.getvalue()


RELEASES = {f"{n}.csv": released(n) for n in (1, 2)}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    draw_plainly(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name, text in RELEASES.items():
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder of a study of all attributes."""
    text, store = text_of("all", ALL), Store(STORE)
    with pytest.MonkeyPatch.context() as patch:
        draw_plainly(patch)
        return made_in(
            tmp_path_factory.mktemp("made"), text, RELEASES, "all.yaml", store
        )


@pytest.fixture
def everything(made, folder, monkeypatch):
    """The same study here."""
    text, store = text_of("all", ALL), Store(STORE)
    return copied(made, folder, text, monkeypatch, "all.yaml", store)


def text_of(name, qids, text=STUDY):
    return text.replace("NAME", name).replace("QIDS", ", ".join(qids))


def study(name, *qids, text=STUDY, store=STORE):
    text = text_of(name, qids, text)
    workshop = Workshop(text, f"{name}.yaml", store and Store(store))
    workshop.run()
    return workshop


ALONE = {}
"""What a study has where nothing is shared, by its text and the files it reads."""


def is_as_if_alone(workshop, name, *qids, text=STUDY):
    """Say whether a study has the bytes that it has where nothing is shared."""
    made = workshop.bytes(), records(workshop)
    read = tuple(path.read_bytes() for path in sorted(Path().glob("*.csv")))
    key = text_of(name, qids, text), read
    if key not in ALONE:
        shutil.rmtree(workshop.results)
        alone = study(name, *qids, text=text, store=None)
        ALONE[key] = alone.bytes(), records(alone)
    return made == ALONE[key]


def records(workshop):
    found = sorted((workshop.results / "records").rglob("*.json"))
    return {path.relative_to(workshop.results): path.read_bytes() for path in found}


SHARED = ["ingest", "ingest", "deduplicate", "deduplicate", "join"]


@pytest.mark.usefixtures("everything")
def test_a_study_of_fewer_attributes_begins_with_its_profile():
    other = study("other", "city", "age")
    assert not {*SHARED}.intersection(other.done)
    store = "results/.store"
    assert other.said[:5] == [
        *(f"taking the columns of ingest people {n} from {store}" for n in "12"),
        *(f"taking the columns of deduplicate people {n} from {store}" for n in "12"),
        f"taking the columns of join people 1 2 from {store}",
    ]
    assert other.said[5].startswith(f"taken from {store}: ingest people 1, ingest")
    assert is_as_if_alone(other, "other", "city", "age")


def test_columns_are_taken_from_several_studies():
    study("one", "age", "sex")
    study("two", "city", "age")
    other = study("other", "sex", "city")
    assert not {*SHARED}.intersection(other.done)
    assert is_as_if_alone(other, "other", "sex", "city")


@pytest.mark.usefixtures("everything")
def test_what_was_composed_is_kept_for_others():
    study("other", "city", "age")
    n_entries = len(Store(STORE).entries())
    assert n_entries == 10
    study("third", "city", "age")
    assert len(Store(STORE).entries()) == n_entries


def test_an_attribute_that_nobody_read_is_read():
    study("one", "age", "sex")
    other = study("other", "sex", "ill")
    assert other.done[:5] == SHARED
    assert is_as_if_alone(other, "other", "sex", "ill")


def with_options(more):
    return STUDY.replace("number}", f"number, {more}}}")


@pytest.mark.parametrize(
    "text",
    [
        STUDY.replace("NAME", "other").replace("delimited\n", "delimited\n    MORE\n"),
        with_options('missing: ["", y]'),
        with_options('domains: {age: "[0-9]"}'),
    ],
)
def test_what_would_be_read_otherwise_is_read(everything, text):
    text = text.replace("MORE", "max_refused: 1")
    other = study("other", "age", "sex", text=text)
    assert other.done[:2] == ["ingest", "ingest"]
    assert is_as_if_alone(other, "other", "age", "sex", text=text)


def test_where_records_were_refused_the_release_is_read_again():
    text = with_options('domains: {age: "[0-8]"}').replace(
        "delimited\n", "delimited\n    max_refused: 60\n"
    )
    study("all", "age", "sex", "city", text=text)
    other = study("other", "sex", "city", text=text)
    assert other.done[:5] == SHARED
    assert is_as_if_alone(other, "other", "sex", "city", text=text)


def test_where_invalid_records_are_removed_the_release_is_read_again():
    written(Path("sia"), year_of_files())
    study("all", "PA_SEXO", "PA_IDADE", text=VISITS)
    other = study("other", "PA_SEXO", text=VISITS)
    assert other.done[:2] == ["ingest", "deduplicate"]
    assert is_as_if_alone(other, "other", "PA_SEXO", text=VISITS)


@pytest.mark.usefixtures("everything")
def test_another_seed_draws_other_records_of_the_same_tables():
    text = STUDY.replace("seed: 3", "seed: 4")
    other = study("other", "age", "sex", text=text)
    assert other.done[:3] == ["deduplicate", "deduplicate", "join"]
    assert is_as_if_alone(other, "other", "age", "sex", text=text)


def test_a_draw_by_whole_rows_is_the_same_for_other_attributes():
    text = STUDY.replace(", record_id: number", "")
    study("all", "age", "sex", "city", text=text)
    other = study("other", "city", "age", text=text)
    assert not {*SHARED}.intersection(other.done)
    assert is_as_if_alone(other, "other", "city", "age", text=text)


@pytest.mark.parametrize("options", ["record_id: number", ""])
def test_where_persons_have_no_name_all_is_read_and_sorted_again(options):
    text = STUDY.replace("person_id: id, record_id: number", options)
    text = text.replace(', auxiliary: ["2"]', "")
    study("one", "age", "sex", text=text)
    study("two", "city", "age", text=text)
    other = study("other", "sex", "city", text=text)
    assert other.done[:2] == ["ingest", "deduplicate"]
    assert is_as_if_alone(other, "other", "sex", "city", text=text)


def test_where_two_rows_are_one_record_the_draw_is_made_again():
    # Of these two rows of one record, one stays by age and the other by city.
    person = released(2).splitlines()[1].partition(",")[0]
    tied = f"{person},7,1,F,B,y\n{person},7,2,F,A,y\n"
    Path("1.csv").write_text(",".join(HEADER) + "\n" + tied, encoding="utf-8")
    study("all", "age", "sex", "city")
    other = study("other", "sex", "city")
    assert other.done[:2] == ["deduplicate", "join"]
    assert is_as_if_alone(other, "other", "sex", "city")


@pytest.mark.parametrize("kind", ["parquet", "json"])
def test_a_touched_file_is_not_used(everything, kind):
    table = STORE.glob(f"deduplicate/*/people/people/1.{kind}")
    (kept,) = (path for path in table if path.stat().st_nlink > 1)
    data = bytearray(kept.read_bytes())
    place = data.index(b"seed") if kind == "json" else len(data) // 2
    data[place] ^= 1
    kept.write_bytes(data)
    other = study("other", "age", "sex")
    assert other.done[:1] == ["deduplicate"]
    assert not kept.exists()
    assert is_as_if_alone(other, "other", "age", "sex")
    assert everything.run()[0] == "deduplicate"


@pytest.mark.parametrize("function", ["schema_of", "receipt", "write_columns"])
@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        TableError("it is not there"),
        pa.ArrowMemoryError(),
        KeyError("n_tied"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_stands_against_it_the_job_does_its_work(
    everything, monkeypatch, function, error
):

    def fail(*_):
        raise error

    monkeypatch.setattr(f"microleak.run.other_columns.{function}", fail)
    other = study("other", "age", "sex")
    assert other.done[:5] == SHARED
    assert is_as_if_alone(other, "other", "age", "sex")


@pytest.mark.usefixtures("everything")
def test_while_a_store_is_tidied_up_nothing_is_taken_of_it():
    with (STORE / MARK).open("a") as lock:
        assert is_locked(lock)
        other = study("other", "age", "sex")
    assert other.done[:5] == SHARED


def test_each_entry_is_judged_once(monkeypatch):
    names = [f"n{n}" for n in range(6)]
    pairs = [("age", "sex"), ("sex", "city"), ("age", "city"), ("age",), ("sex",)]
    for name, pair in zip(names, [*pairs, ("city",)], strict=True):
        study(name, *pair)
    judged = []
    real = OtherColumns._is_fed_alike

    def counted(self, entry, *rest):
        judged.append(entry.folder)
        return real(self, entry, *rest)

    monkeypatch.setattr(OtherColumns, "_is_fed_alike", counted)
    other = study("other", "sex", "age", "city")
    assert not {*SHARED}.intersection(other.done)
    # Of each two releases, by their own job and once more by that of the panel.
    assert max(map(judged.count, judged)) <= 3


def test_the_bytes_are_those_of_the_step_whatever_its_row_groups(tmp_path):
    draw = random.Random(5)
    rows = [[str(n), str(draw.random()), draw.choice(["", "é"])] for n in range(20_000)]
    text = "\n".join(",".join(row) for row in [["id", "x", "y"], *rows])
    Path("big.csv").write_text(text + "\n", encoding="utf-8")
    definition = source_definition("delimited", "1", {"person_id": "id"})

    def made(*attributes):
        name = "".join(attributes)
        paths = tmp_path / f"{name}.parquet", tmp_path / f"{name}.json"
        ingest(ReadRelease(Path("big.csv"), attributes), definition, *paths, SMALL)
        return paths[0]

    whole, x, y = made("x", "y"), made("x"), made("y")
    out = tmp_path / "out.parquet"
    write_columns(out, {"id": whole, ROW: whole, "y": whole})
    assert out.read_bytes() == y.read_bytes()
    write_columns(out, {"id": x, ROW: y, "x": x, "y": y})
    assert out.read_bytes() == whole.read_bytes()
    assert pq.read_metadata(out).num_row_groups == 7


SMALL = ReadSizes(chunk_records=3000)
