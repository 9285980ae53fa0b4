"""Persons with values that nobody else has: these stay where records are.

One study has an analysis of every kind. Its results, logs, errors, pages, exports
and all that Snakemake writes are searched, also once each rule was made to fail.
"""

import base64
import bz2
import gzip
import html
import io
import json
import lzma
import tarfile
import zipfile
import zlib
from urllib.parse import quote

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.cli import main
from tests.workflow.canaries import PNG, found_in
from tests.workflow.canary_study import BINARY, KNOWN, LETTERS, NUMBERS, WORDS, made
from tests.workflow.conftest import Study, rules_run
from tests.workflow.faulty_jobs import end_of_jobs

pytestmark = pytest.mark.long

workflow = pytest.mark.workflow
ORIGINALS = {"canary.yaml", "census.zip", "people-1.csv", "people-2.csv"}
OF_RECORDS = (
    *(
        f"results/canary/{folder}/"
        for folder in ("tables", "people", "panels", "confidential", "raw")
    ),
    "results/.store/",
)
"""Where records lie, or what was found of a target."""

OF_VALUES = {
    f"results/canary/profiles/{name}/contingency.parquet" for name in ("count", "pairs")
}
"""Counts of values of attributes, by the values themselves."""

NEEDS_NO_DATA = {"compare", "draw", "gain", "importance", "states"}
"""Rules that read tables of measures alone; of one cut at a line end, all is right."""


def is_found(text):
    return any(word.lower() in text.lower() for word in WORDS)


def found_elsewhere(study):
    """Files with a canary that are neither originals nor where records lie."""
    found = set(found_in(study.folder, WORDS, BINARY))
    assert found >= ORIGINALS | {"results/canary/people/people/1.parquet"}
    return {path for path in found - ORIGINALS if not path.startswith(OF_RECORDS)}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("canary")
    study = Study(folder, "canary", made(folder))
    study.output = study.output_of(words=["--", "--skip-script-cleanup"])
    return study


@workflow
def test_canaries_stay_with_the_records_and_counts_of_values(ran):
    assert found_elsewhere(ran) == OF_VALUES
    assert not is_found(ran.output)


@workflow
def test_canaries_stay_there_in_a_study_for_the_public(ran, tmp_path):
    study = ran.copy(tmp_path)
    (study.folder / "people.key").touch(0o600)
    (study.folder / "people.key").write_bytes(bytes(range(32)))
    noise = 'audience: public, noise: {epsilon: "1/2", key: people.key}'
    study.change("audience: internal", noise)
    output = study.output_of(words=["--", "--skip-script-cleanup"])
    assert {"publish", "report", "audit"} <= {*rules_run(output)}
    assert found_elsewhere(study) == OF_VALUES
    assert not is_found(output)


@workflow
@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet", "latex", "json"])
def test_exports_have_no_canary(ran, tmp_path, capsys, form):
    command = ["export", str(ran.results), "--format", form, "--to", str(tmp_path)]
    assert main(command) == 0
    assert any(path.is_file() for path in tmp_path.rglob("*.*"))
    assert found_in(tmp_path, WORDS, BINARY) == []
    assert not is_found("".join(capsys.readouterr()))


POLICY = """version: 1
name: Nobody alone
limits: [{name: alone, measure: collective.n_certain, at_most: 0}]
"""


@workflow
def test_gate_and_list_say_nothing_of_a_canary(ran, tmp_path, capsys):
    results, policy = str(ran.results), tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    told = tmp_path / "check.json"
    words = ["--policy", str(policy), "--result", str(told), "--github"]
    assert main(["check", results, *words]) == 1
    assert main(["risks", results, "--to", str(tmp_path)]) == 0
    assert not is_found("".join(capsys.readouterr()))
    listed = {"confidential/risks/linked.csv", "confidential/risks/pupils.csv"}
    assert listed <= {*found_in(tmp_path, WORDS, BINARY)}
    assert "check.json" not in found_in(tmp_path, WORDS, BINARY)


@pytest.fixture(scope="module")
def faulted(ran, tmp_path_factory):
    """A copy of the study once every rule was made to fail in every way."""
    study = ran.copy(tmp_path_factory.mktemp("faulted"))
    study.before = study.bytes()
    study.ended = end_of_jobs(study)
    return study


@workflow
def test_what_a_job_says_of_a_fault_holds_no_canary(faulted):
    assert [job for job in faulted.ended if is_found(job.said + job.log)] == []
    assert found_elsewhere(faulted) == OF_VALUES
    assert faulted.bytes() == faulted.before


@workflow
def test_a_job_that_fails_says_why_in_one_line(faulted):
    for job in faulted.ended:
        if job.status:
            assert job.status == 1, job
            assert job.said.startswith("microleak: "), job
            assert job.said.count("\n") == 1, job
            assert job.log in ("", job.said.removeprefix("microleak: ")), job
        else:
            assert job.said == job.log == "", job


@workflow
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("full disk", ("File too large", "is full", "disk")),
        ("read only", ("Permission denied",)),
        ("no descriptors", ("Too many open files",)),
    ],
)
def test_where_nothing_can_be_written_rules_leave_nothing(ran, faulted, fault, said):
    jobs = [job for job in faulted.ended if job.fault == fault]
    assert {job.rule for job in jobs} >= {*rules_run(ran.output)} - {"all"}
    for job in jobs:
        assert job.status == 1, job
        assert any(words in job.said for words in said), job
        assert job.left == [], job


@workflow
def test_a_rule_fails_at_a_cut_input_and_leaves_nothing_unfinished(faulted, ran):
    jobs = [job for job in faulted.ended if job.fault == "cut"]
    assert {job.rule for job in jobs if not job.status} <= NEEDS_NO_DATA
    for job in jobs:
        if job.status:
            assert all((ran.folder / path).exists() for path in job.left), job


def parquet(table, **options):
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def with_dictionary_only():
    values = pa.DictionaryArray.from_arrays([0, 0], ["a", KNOWN])
    table = pa.table({"town": values})
    return parquet(table, compression="zstd", write_statistics=False)


def zipped(text, kind=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as archive:
        archive.writestr("inside.txt", text)
    return file.getvalue()


def tarred(text):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("inside.txt")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return file.getvalue()


def workbook(text):
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active["B2"] = text
    book.save(file)
    return file.getvalue()


def png(kind, data):
    return PNG + len(data).to_bytes(4, "big") + kind + data + bytes(4)


PLAIN = KNOWN.encode()
NUMBERED = pa.table({"income": pa.array([1, NUMBERS[0], 3])})
NAMED = pa.table({"town": pa.array(["a", KNOWN])})
NOTE = {"note": KNOWN}
PLANTED = {
    "utf-8": PLAIN,
    "latin-1": KNOWN.encode("latin-1"),
    "utf-16": KNOWN.encode("utf-16"),
    "capitals": KNOWN.upper().encode(),
    "quoted for a URL": quote(KNOWN).encode(),
    "escaped for HTML": html.escape(KNOWN).encode(),
    "as characters of HTML": "".join(f"&#{ord(c)};" for c in KNOWN).encode(),
    "JSON": json.dumps({"value": KNOWN}).encode(),
    "digits": f"x{NUMBERS[1]}.0".encode(),
    "hexadecimal": b"id-" + PLAIN.hex().upper().encode(),
    "base64": base64.b64encode(PLAIN),
    "base64, second place": base64.b64encode(b"a" + PLAIN),
    "base64, third place": base64.b64encode(b"ab" + PLAIN),
    "zip": zipped(PLAIN),
    "zip in a zip": zipped(zipped(PLAIN)),
    "gzip": gzip.compress(PLAIN),
    "bzip2": bz2.compress(PLAIN),
    "xz": lzma.compress(PLAIN),
    "tar, gzip": gzip.compress(tarred(PLAIN)),
    "xlsx": workbook(KNOWN),
    "xlsx, number": workbook(NUMBERS[0]),
    "embedded": b"<img src='data:x;base64," + base64.b64encode(zipped(PLAIN)) + b"'>",
    "svg": f"<svg><title>{html.escape(KNOWN)}</title></svg>".encode(),
    "png, text": png(b"tEXt", b"Title\0" + PLAIN),
    "png, compressed text": png(b"zTXt", b"Title\0\0" + zlib.compress(PLAIN)),
    "png, other text": png(b"iTXt", b"Title\0\1\0\0\0" + zlib.compress(PLAIN)),
    "parquet": parquet(NAMED, compression="zstd", write_statistics=False),
    "parquet, snappy": parquet(NAMED, compression="snappy", write_statistics=False),
    "parquet, number": parquet(NUMBERED, compression="zstd", write_statistics=False),
    "parquet, bounds": parquet(NAMED, compression="zstd"),
    "parquet, dictionary": with_dictionary_only(),
    "parquet, metadata": parquet(
        NAMED.slice(0, 1).replace_schema_metadata({"a": KNOWN})
    ),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_canary_is_found_in_every_kind_of_file(tmp_path, kind):
    (tmp_path / "clean.txt").write_bytes(b"nothing")
    (tmp_path / "planted").write_bytes(PLANTED[kind])
    assert found_in(tmp_path, WORDS, BINARY) == ["planted"]


def test_a_canary_is_found_in_the_name_of_a_file(tmp_path):
    (tmp_path / base64.b64encode(PLAIN).decode().replace("/", "_")).touch()
    (tmp_path / f"{LETTERS}.csv").touch()
    assert len(found_in(tmp_path, WORDS)) == 2


def test_files_without_a_canary_are_not_taken_for_one(tmp_path):
    clean = pa.table({"town": pa.array(["Ipê", None]), "n": pa.array([1, 2])})
    for name, content in {
        "a.parquet": parquet(clean),
        "a.zip": zipped(b"town"),
        "a.xlsx": workbook("town"),
        "a.png": png(b"zTXt", b"Title\0\0" + zlib.compress(b"town")),
    }.items():
        (tmp_path / name).write_bytes(content)
    assert found_in(tmp_path, WORDS, BINARY) == []
