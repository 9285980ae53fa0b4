"""The numbers of the example studies are those that were committed."""

import csv
import json
from fnmatch import fnmatch

import pytest

from microleak.audit.csv_metadata import write_csv_metadata
from microleak.base.paths import ROOT
from microleak.families import FAMILIES
from microleak.schemas import table_model
from microleak.study.load import load_study
from microleak.study.tables import result_tables
from microleak.tables.files import read_table
from microleak.tables.spec import WILDCARD
from tests.contract.families import measured_by
from tests.contract.measures import EXAMPLES, changes, committed, content, hashes, run

pytestmark = pytest.mark.workflow
RENEW = "python -m tests.contract.measures --renew"


def marks(example):
    return [pytest.mark.long] if example.is_long else []


@pytest.fixture(
    scope="module",
    params=[pytest.param(e, id=e.name, marks=marks(e)) for e in EXAMPLES],
)
def example(request):
    if request.param.missing:
        pytest.skip(f"needs {request.param.missing[0]}, not part of the repository")
    return request.param


@pytest.fixture(scope="module")
def results(example, request, tmp_path_factory):
    if example.name == "delimited-demo":
        return request.getfixturevalue("demo")
    return run(example, tmp_path_factory.mktemp(example.name))


def test_every_file_of_the_measures_is_as_committed(example, results):
    found = list(changes(committed().get(example.name, {}), hashes(results)))
    assert not found, (
        f"measures of {example.name}: {'; '.join(found)}. If that is meant, say so in "
        f"CHANGELOG.md and run {RENEW} {example.name}. The files: {results}/measures"
    )


def test_every_table_has_the_columns_that_its_metadata_declares(
    example, results, tmp_path, monkeypatch
):
    monkeypatch.chdir(ROOT)
    write_csv_metadata(tmp_path / "described.json", load_study(example.file))
    described = json.loads((tmp_path / "described.json").read_text("utf-8"))
    declared = {
        table["url"]: [column["name"] for column in table["tableSchema"]["columns"]]
        for table in described["tables"]
        if not table["url"].startswith("../")
    }
    assert declared == {
        path.relative_to(results / "measures").as_posix(): header(path)
        for path in (results / "measures").rglob("*.csv")
    }


def test_every_table_is_what_its_model_accepts(results):
    specs = {WILDCARD.sub("*", one.path): one for one in result_tables().values()}
    for path in sorted(results.glob("measures/**/*.csv")):
        name = path.relative_to(results).as_posix()
        (spec,) = (specs[each] for each in specs if fnmatch(name, each))
        table_model(spec).validate(read_table(path, spec))


def header(path):
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def test_the_default_studies_have_every_table_of_every_family():
    named = {
        file.partition("/")[0].removesuffix(".csv")
        for example in EXAMPLES
        if not example.is_long
        for file in committed().get(example.name, ())
    }
    every = {table for family in FAMILIES for table in measured_by(family)}
    assert every <= named, "run python -m tests.contract.measures --renew EXAMPLE"


def test_a_change_is_told_by_file():
    before = {"a.csv": "1", "b.csv": "2", "c.csv": "3"}
    after = {"a.csv": "1", "b.csv": "0", "d.csv": "4"}
    assert list(changes(before, after)) == [
        "b.csv says something else",
        "c.csv is not made any more",
        "d.csv is new",
    ]


def test_the_hash_of_an_archive_does_not_count_and_its_rows_do(tmp_path):
    def said(rows, sha256):
        path = tmp_path / "ingest.csv"
        path.write_text(f"table,n_read,sha256\npeople,{rows},{sha256}\n", "utf-8")
        return content(path)

    assert said(7, "aa") == said(7, "bb") != said(8, "aa")
