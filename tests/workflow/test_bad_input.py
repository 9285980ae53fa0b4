"""A faulty release: one line that says what and where, and nothing left behind.

Two faults are met by a job of a study and three before any job begins; the others
run what the rule `ingest` runs, as its script does, in one process.
"""

import io
import zipfile
from pathlib import Path

import pytest

from microleak.run.display import LOG as LOG_OF_RUN
from microleak.run.job import job
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.workflow.conftest import PEOPLE, given

pytestmark = pytest.mark.workflow
LOG = "logs/ingest/people/1.log"
SECRET = "secret"


def left_of(folder):
    """Files below a folder that hold anything, hidden ones too, but Snakemake's log.

    Of a job that succeeds Snakemake leaves an empty log.
    """
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_size and path != folder / LOG_OF_RUN
    )


def refused(study, log):
    """Run a study that must fail in a job; return the last line that it says."""
    process = study.run()
    assert process.returncode == 1
    assert "Traceback" not in process.output
    line = process.output.splitlines()[-1].removeprefix("microleak: ")
    assert (study.results / log).read_text(encoding="utf-8") == f"{line}\n"
    assert left_of(study.results) == [log]
    hidden = [path.name for path in study.results.rglob(".*")]
    assert hidden == [], "something half-written is left behind"
    return line


def test_a_wrong_hash(csv_study):
    wrong = "0" * 64
    csv_study.change("people.csv", f"people.csv, sha256: '{wrong}'")
    line = refused(csv_study, LOG)
    assert line.startswith("people.csv")
    assert wrong in line


def test_a_long_row(csv_study):
    text = PEOPLE.replace("3,25,M,yes", f"3,25,M,yes,{SECRET}")
    (csv_study.folder / "people.csv").write_text(text, encoding="utf-8")
    line = refused(csv_study, LOG)
    assert "people.csv: line 4 has 5 values, 4 expected" in line
    assert SECRET not in line


def test_an_attribute_that_was_not_released_that_year(twin_study):
    twin_study.change("2018:", "2019:")
    twin_study.change("focal: 2018", "focal: 2019")
    process = twin_study.run()
    assert process.returncode == 1
    line = process.output.splitlines()[-1]
    assert "inep_school_census 2019 does not have NU_DIA: it was not released" in line
    assert not twin_study.results.exists()


def test_a_missing_archive_is_refused_before_anything_runs(csv_study):
    (csv_study.folder / "people.csv").unlink()
    process = csv_study.run()
    assert process.output == (
        "microleak: people.yaml: people 1: there is no archive people.csv. "
        "Correct archive, or run where it is.\n"
    )
    assert not csv_study.results.exists()


def test_a_wrong_study_file_is_refused_before_anything_runs(csv_study):
    csv_study.change("seed:", "sed:")
    process = csv_study.run()
    assert process.returncode == 1
    assert process.output.count("\n") == 1
    assert "did you mean 'seed'" in process.output
    assert not csv_study.results.exists()


def zipped(name, text):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return file.getvalue()


def line_of_ingest(folder, name, content):
    """Ingest an archive as the script does; return the one line that it says."""
    (folder / name).write_bytes(content)
    out = Path("results/people")
    log = out / "logs" / "ingest.log"
    options = {"person_id": "id", "domains": {"age": "[0-9]{1,3}"}}
    release = ReadRelease(folder / name, ("age", "sex", "ill"))
    with (
        pytest.raises(SystemExit) as ended,
        job(given(log)),
    ):
        ingest(
            release,
            source_definition("delimited", "1", options),
            out / "table.parquet",
            out / "receipt.json",
        )
    assert ended.value.code == 1
    assert left_of(out) == ["logs/ingest.log"]
    assert [path.name for path in out.iterdir()] == ["logs"]
    return log.read_text(encoding="utf-8")


def row_3(text):
    """The people, with another text for the row in line 4."""
    return PEOPLE.replace("3,25,M,yes", text).encode("latin-1")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "people.zip",
            zipped("people.csv", PEOPLE)[:60],
            "people.zip is damaged or cut short",
        ),
        (
            "people.zip",
            zipped("people.csv", PEOPLE)[:-30],
            "people.zip is damaged or cut short (its checksum or structure is wrong). "
            "Fetch the release again.",
        ),
        (
            "people.zip",
            zipped("../people.csv", PEOPLE),
            "people.zip: people.csv is stored under a path that leads out of the",
        ),
        ("people.zip", zipped("readme.pdf", SECRET), "people.zip contains no file"),
        (
            "people.csv",
            row_3(f"3,25,{SECRET}\xff,yes"),
            "line 4 has a byte that is not",
        ),
        (
            "people.csv",
            row_3(f"3,{SECRET},M,yes"),
            "line 4: age must be a value matching",
        ),
        ("people.csv", row_3(f",25,{SECRET},yes"), "line 4: id must be"),
        ("people.csv", row_3(f"3,25,{SECRET}"), "line 4 has 3 values, 4 expected"),
        ("people.csv", row_3(f"3,25,{SECRET}\0,yes"), "line 4 has a zero byte"),
        ("people.csv", row_3(f'3,25,"{SECRET},yes'), "a quotation mark"),
        (
            "people.csv",
            PEOPLE.replace("no", SECRET).replace(",", ";").encode(),
            "line 1: values expected between ',', but ';' seems to be used",
        ),
        ("people.csv", b"", "line 1: a header expected, but it is empty"),
        ("people.csv", b"id,age,sex,ill\n", "line 2: a record expected, but there is"),
        (
            "people.csv",
            PEOPLE.replace("id,age,sex,ill", "id,age,age,sex,ill")
            .replace("no", f"no,{SECRET}")
            .encode(),
            "line 1 has age as columns 2 and 3",
        ),
        ("people.csv", PEOPLE.split("\n", 1)[1].encode(), "line 1 has no column"),
        (
            "people.csv",
            b"id,age,sex,ill\n1,secret,F,no\n2,secret,F,no\n",
            "line 2: age must be",
        ),
    ],
    ids=[
        "truncated zip",
        "zip without its end",
        "path traversal",
        "no member",
        "invalid byte",
        "outside its domain",
        "no identifier",
        "short row",
        "zero byte",
        "open quotation mark",
        "wrong delimiter",
        "empty file",
        "header only",
        "duplicated column",
        "no header",
        "every row refused",
    ],
)
def test_a_faulty_release_is_refused_in_one_line(
    tmp_path, monkeypatch, name, content, said
):
    monkeypatch.chdir(tmp_path)
    line = line_of_ingest(tmp_path, name, content)
    assert line.startswith(name)
    assert said in line
    assert line.count("\n") == 1
    assert SECRET not in line
