"""A protected release as a file: its bytes, its record, and what is refused."""

import csv
import gzip
import hashlib
import io
import json
import os
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak import __version__
from microleak.base.errors import StudyError, TableError
from microleak.base.files import key_fingerprint, sha256_of
from microleak.cli import main
from microleak.protection.export import form_of, names_of, write_records
from microleak.records.chunks import ParquetChunks
from microleak.sources.definitions.definition import source_definition
from microleak.sources.definitions.yearly import recoded
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.steps.intermediate import write_row_groups
from tests.protection.conftest import STUDY

TEXTS = ["a", "b;b", 'c"c', "d\ne", "é", " f", "NA!", "0", "*"]
cells = st.one_of(st.none(), st.sampled_from(TEXTS))


def definition(**options):
    return source_definition("delimited", "1", options)


STUDENTS = source_definition("inep_higher_education_census", "2013", {})


def people(folder, columns):
    path = folder / "people.parquet"
    batch = pa.record_batch({n: pa.array(c, pa.string()) for n, c in columns.items()})
    schema = pa.schema([(n, pa.string()) for n in columns], {"data": "released"})
    write_row_groups(path, [batch], schema)
    return path


def in_order(rows):
    """Rows sorted by their values, a missing one first."""
    return sorted(rows, key=lambda row: [(v is not None, v or "") for v in row])


def ordered(columns):
    """Columns whose rows are sorted."""
    rows = in_order(zip(*columns.values(), strict=True))
    return {n: [row[i] for row in rows] for i, n in enumerate(columns)}


def written(folder, columns, source, ending=".csv"):
    to = folder / f"out{ending}"
    write_records(people(folder, columns), to, source, list(columns))
    return to.read_bytes()


def test_a_delimited_file_has_delimiter_and_encoding_of_its_source(tmp_path):
    source = definition(delimiter="tab", encoding="latin-1", missing=["NA", "-"])
    columns = {"town": ["São", None, "b\tc"], "age": ["1", "2", None]}
    assert written(tmp_path, columns, source) == (
        'town\tage\nNA\t2\nSão\t1\n"b\tc"\tNA\n'.encode("latin-1")
    )


def test_a_missing_value_is_empty_where_that_is_read_so(missing, expected, tmp_path):
    columns = {"x": [None], "y": ["a"]}
    assert written(tmp_path, columns, definition(missing=missing)) == expected.encode()


@given(st.lists(cells.filter(lambda text: text != "d\ne"), min_size=1, max_size=9))
def test_a_missing_value_of_the_only_attribute_is_no_empty_line(tmp_path_factory, xs):
    folder = tmp_path_factory.mktemp("file")
    source = definition(missing=[""])
    text = written(folder, {"x": xs}, source).decode()
    expected = ordered({"x": xs})
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read == [["x"], *([x or ""] for x in expected["x"])]
    frame = pd.read_csv(io.StringIO(text), dtype="string")
    assert len(frame) == len(xs)
    given = ReadRelease(folder / "out.csv", ("x",))
    ingest(given, source, folder / "again.parquet", folder / "again.json")
    assert pq.read_table(folder / "again.parquet").to_pydict() == expected


def test_of_one_attribute_each_source_has_its_form(source, columns, expected, tmp_path):
    (name,), (kind, release, options) = columns, source
    made = source_definition(kind, release, options)
    found = written(tmp_path, columns, made).decode()
    assert found == f"{made.official(name)}\n{expected}"


def test_what_a_source_without_quotes_cannot_tell_is_refused(columns, said, tmp_path):
    with pytest.raises(TableError, match=said):
        written(tmp_path, columns, STUDENTS)


@given(st.lists(st.tuples(cells, cells), max_size=30))
def test_a_delimited_file_is_what_the_csv_module_writes(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("file")
    columns = {"x;y": [row[0] for row in rows], "z": [row[1] for row in rows]}
    plain = io.StringIO()
    writer = csv.writer(plain, delimiter=";", lineterminator="\n")
    writer.writerows([list(columns), *in_order(rows)])
    found = written(folder, columns, definition(delimiter=";"))
    assert found.decode() == plain.getvalue()


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=9))
def test_a_parquet_file_is_read_as_a_release(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("file")
    columns = {"x": [row[0] for row in rows], "y;z": [row[1] for row in rows]}
    source = definition(missing=["NA"], encoding="latin-1", delimiter="tab")
    written(folder, columns, source, ".parquet")
    given = ReadRelease(folder / "out.parquet", ("x", "y;z"))
    ingest(given, source, folder / "again.parquet", folder / "again.json")
    found = pq.read_table(folder / "again.parquet").to_pydict()
    assert found == {
        n: [c or None for c in each] for n, each in ordered(columns).items()
    }


def test_packed_bytes_are_the_same_each_time_and_those_of_the_plain_file(tmp_path):
    columns = {"x": ["a", None, "b"]}
    first = written(tmp_path, columns, definition(), ".csv.gz")
    plain = written(tmp_path, columns, definition())
    assert gzip.decompress(first) == plain
    (tmp_path / "other").mkdir()
    assert written(tmp_path / "other", columns, definition(), ".CSV.GZ") == first


def test_a_parquet_file_has_text_columns_and_says_whether_it_is_synthetic(tmp_path):
    columns = {"x": ["a", None, "b"], "y": ["", "1", None]}
    written(tmp_path, columns, definition(), ".parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.to_pydict() == ordered(columns)
    assert found.schema.types == [pa.string()] * 2
    assert found.schema.metadata == {b"data": b"released"}


def test_rows_are_sorted_whatever_their_order_and_groups(tmp_path):
    """The order of a release, or of persons, would tell who they are."""
    values = [str(n % 7) for n in range(2**18 + 5)]
    found = written(tmp_path, {"x": values}, definition())
    assert ParquetChunks([tmp_path / "people.parquet"], 2**18).n_chunks == 2
    assert found.decode().split() == ["x", *sorted(values)]
    other = tmp_path / "other"
    other.mkdir()
    assert written(other, {"x": values[::-1]}, definition()) == found


def test_names_and_codes_are_those_of_the_release(tmp_path):
    census = STUDENTS
    columns = {"TP_SEXO": ["2", "1", None], "TP_COR_RACA": ["9", "1", "*"]}
    official = [census.official(name) for name in columns]
    assert official == ["IN_SEXO_ALUNO", "CO_COR_RACA_ALUNO"]
    lines = written(tmp_path, columns, census).decode().splitlines()
    assert lines == ["|".join(official), "|*", "1|1", "0|6"]
    own = [line.split("|") for line in lines[1:]]
    read = pa.table({n: [r[i] or None for r in own] for i, n in enumerate(columns)})
    assert recoded(read, census.recodes).to_pydict() == ordered(columns)


def test_values_read_as_others_are_refused_unseen(options, values, words, tmp_path):
    with pytest.raises(TableError, match=words) as error:
        written(tmp_path, {"x": values}, definition(**options))
    assert not values[0] or values[0] not in str(error.value).removeprefix("x ")


@pytest.mark.parametrize("value", ["1|2", "1\n2", "1\r2"])
def test_a_source_without_quotes_has_no_value_that_needs_them(value, tmp_path):
    source = replace(definition(delimiter="|"), quote=None)
    with pytest.raises(TableError, match=r"x has values with a '\|' or a line end"):
        written(tmp_path, {"x": [value]}, source)
    assert written(tmp_path, {"x": ['"']}, source) == b'x\n"\n'


def test_nobody_is_identified_and_columns_are_in_the_order_of_the_raw_file(tmp_path):
    raw = tmp_path / "raw.csv"
    raw.write_text("b;row;a;id\n1;1;2;3\n")
    source = definition(delimiter=";", person_id="id", record_id="row")
    path = people(tmp_path, {"id": ["3"], "row": ["1"], "a": ["2"], "b": ["1"]})
    assert names_of(path, source, raw) == ["b", "a"]
    assert names_of(path, source, None) == ["a", "b"]
    path = people(tmp_path, {"id": ["3"]})
    with pytest.raises(StudyError, match=r"no attribute but identifiers.* Name some"):
        names_of(path, source, raw)


def test_what_is_written_is_read_again_as_it_was(tmp_path):
    source = definition(delimiter=";", encoding="cp1252", missing=["?", "NA"])
    values = [*TEXTS, None, "", "”"]
    columns = {"x": values, "y": values[::-1]}
    written(tmp_path, columns, source)
    given = ReadRelease(tmp_path / "out.csv", ("x", "y"))
    ingest(given, source, tmp_path / "again.parquet", tmp_path / "again.json")
    assert pq.read_table(tmp_path / "again.parquet").to_pydict() == ordered(columns)
    assert form_of(source).missing == ("?", "NA")


def of_people(folder, name):
    return pq.read_table(folder / f"results/shop/people/shop/{name}.parquet")


@pytest.mark.workflow
def test_the_command_writes_the_records_of_the_protected_release(shop):
    expected = of_people(shop, "coarse").drop_columns("id").to_pylist()
    text = (shop / "coarse.csv").read_text(encoding="latin-1")
    found = csv.DictReader(io.StringIO(text), delimiter=";")
    assert found.fieldnames == ["paid", "age", "town"]
    rows = [{n: None if v == "NA" else v for n, v in row.items()} for row in found]
    assert len(rows) == 180
    whole = [tuple(row[name] for name in found.fieldnames) for row in expected]
    assert [tuple(row.values()) for row in rows] == in_order(whole)
    coarser = pq.read_table(shop / "coarser.parquet")
    assert coarser.column_names == ["paid", "age", "town"]
    expected = of_people(shop, "coarser").select(coarser.column_names)
    assert coarser.to_pydict() == ordered(expected.to_pydict())


@pytest.mark.workflow
def test_the_record_tells_what_was_done_to_which_release(shop):
    told = json.loads((shop / "coarser.parquet.json").read_text())
    first, last = told["protections"]
    known = {"name": "coarser", "release": "coarse", "n_records": 180}
    assert last.items() >= known.items()
    assert "key_fingerprint" not in last
    known = {"name": "coarse", "release": "2020", "seed": 5, "n_before": 200}
    known |= {"n_records": 180, "key_fingerprint": key_fingerprint(shop / "shop.key")}
    known["files"] = {"towns.csv": sha256_of(shop / "towns.csv")}
    assert first.items() >= known.items()
    assert first["steps"][0] == {"generalise": {"age": 1, "town": 1}}
    assert first["hierarchies"]["town"] == {"file": "towns.csv"}
    changed = [row["attribute"] for row in first["changes"]]
    assert changed == ["", "age", "town", "paid"]
    assert told["source"]["sha256"] == sha256_of(shop / "raw.csv")
    assert told["study"]["sha256"] == sha256_of(shop / "shop.yaml")
    assert (told["microleak"], told["synthetic"]) == (__version__, False)
    written = (shop / "coarser.parquet").read_bytes()
    assert told["file"] == {
        "name": "coarser.parquet",
        "sha256": hashlib.sha256(written).hexdigest(),
        "bytes": len(written),
        "columns": ["paid", "age", "town"],
    }
    of_text = json.loads((shop / "coarse.csv.json").read_text())["file"]
    assert of_text["sha256"] == sha256_of(shop / "coarse.csv")
    # The record has the seed.
    assert os.name == "nt" or not (shop / "coarse.csv.json").stat().st_mode & 0o077
    form = {"delimiter": ";", "encoding": "latin-1", "missing": "NA"}
    assert of_text.items() >= form.items()


@pytest.mark.workflow
def test_of_a_release_that_is_there_only_the_file_is_told(shop, monkeypatch, capsys):
    monkeypatch.chdir(shop)
    page = Path("results/shop/report/index.html")
    page.parent.mkdir()
    page.touch()
    assert main(["protect", "shop.yaml", "--recipe", "coarser", "-o", "c.csv"]) == 0
    assert capsys.readouterr().err == (
        "microleak: c.csv has 180 records, and c.csv.json says what was done to them. "
        "Publish the first alone, and keep the second.\n"
        "microleak: its columns are those that its steps and its analyses name: "
        "paid, age, town. To have others, name them in attributes of the protection.\n"
        "microleak: coarser: cells made missing: 0, the fewest possible\n"
    )
    rmtree(page.parent)


@pytest.mark.workflow
def test_what_follows_from_the_seed_is_warned_of_and_told(shop, monkeypatch, capsys):
    """The last protection draws nothing, and is made of one that draws."""
    monkeypatch.chdir(shop)
    Path("chances.csv").write_text("true,à,ç\nà,0.9,0.1\n", encoding="utf-8")
    text = STUDY.replace("study: shop", "study: open")
    text = text.replace('paid: {keep: "0.8"}', "town: {matrix: chances.csv}")
    Path("open.yaml").write_text(text.replace("    key: shop.key\n", ""))
    assert main(["protect", "open.yaml", "--recipe", "coarser", "-o", "open.csv"]) == 0
    *_, warning = capsys.readouterr().err.splitlines()
    assert warning == (
        "microleak: warning: what is random in open.csv follows from the study's seed, "
        "so that someone who tries all seeds can undo it. Before you publish it, name "
        "a file in protections.coarse.key (docs/protect.md), and make it again."
    )
    drawn, _ = json.loads(Path("open.csv.json").read_text())["protections"]
    assert drawn["steps"][2] == {"randomise": {"town": {"matrix": "chances.csv"}}}
    hashes = {name: sha256_of(name) for name in ("towns.csv", "chances.csv")}
    assert drawn["files"] == hashes


@pytest.mark.workflow
def test_what_cannot_be_is_said_first(words, said, shop, monkeypatch, capsys):
    monkeypatch.chdir(shop)
    assert main(["protect", "shop.yaml", *words.split()]) == 1
    told = capsys.readouterr().err
    assert said in told
    assert told.startswith("microleak: ") and told.count("\n") == 1


@pytest.mark.workflow
def test_a_record_that_is_there_is_not_written_over(shop, monkeypatch, capsys):
    """And without protections there is none to write."""
    monkeypatch.chdir(shop)
    Path("b.csv.json").write_text("{}")
    assert main(["protect", "shop.yaml", "--recipe", "coarse", "-o", "b.csv"]) == 1
    assert "b.csv.json is here already" in capsys.readouterr().err
    assert Path("b.csv.json").read_text() == "{}"
    text = STUDY.partition("protections:")[0] + STUDY[STUDY.index("analyses:") :]
    Path("bare.yaml").write_text(text)
    assert main(["protect", "bare.yaml", "--recipe", "coarse", "-o", "a.csv"]) == 1
    assert "bare.yaml has no protections. Add what is to" in capsys.readouterr().err


@pytest.mark.workflow
def test_nothing_stays_of_a_file_that_cannot_be_written(shop, monkeypatch, capsys):
    monkeypatch.chdir(shop)
    before = sorted(Path().iterdir())

    def failing(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("microleak.protection.export._records_text", failing)
    assert main(["protect", "shop.yaml", "--recipe", "coarse", "-o", "a.csv"]) == 1
    assert "No space left" in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before
