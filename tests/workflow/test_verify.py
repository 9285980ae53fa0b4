"""Nothing of a finished study changes unseen, and it is the same wherever it is run."""

import os
import re
import subprocess
import sys
from pathlib import PurePosixPath

import pytest

from microleak.audit.manifest import verify
from microleak.base.errors import VerificationError
from microleak.study.listing import remove_empty_folders
from microleak.study.steps import step_of
from tests.workflow.conftest import TWIN_STUDY, Study, elsewhere

pytestmark = pytest.mark.workflow
ARTEFACTS = (
    *("code/workflow/Snakefile", "code/workflow/rules/people.smk"),
    *("code/workflow/report/page.rst", "code/scripts/measure.py"),
    *("figures/small/success-reidentification.en.svg", "measures/comparison.csv"),
    *("measures/csv-metadata.json", "measures/collective/small.csv"),
    *("measures/entropy/small.csv", "measures/importance/small.csv"),
    *("measures/ingest.csv", "measures/states.csv", "measures/success/small.parquet"),
    *("people/school_census/2018.json", "people/school_census/2018.parquet"),
    *("profiles/small/2018.parquet", "records/measure/small.json"),
    "report/data/metadata.json",
    *("published/published.json", "published/worst/small.csv"),
    *("report/data/small-worst.csv", "report/index.html", "ro-crate-metadata.json"),
    *("tables/school_census/2018.json", "tables/school_census/2018.parquet"),
)
"""A result of each kind: by the rule that makes it, and by how its name ends."""


@pytest.fixture(scope="module")
def copied(finished, tmp_path_factory):
    return finished.copy(tmp_path_factory.mktemp("tampered")).results


@pytest.fixture
def results(copied):
    """Finished results of one's own, but for names that are left behind."""
    before = {path: path.read_bytes() for path in copied.rglob("*") if path.is_file()}
    yield copied
    for path in copied.rglob("*"):
        if path.is_file() and path not in before:
            path.unlink()
    for path, data in before.items():
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(data)
    remove_empty_folders(copied)


def refused(results, words):
    with pytest.raises(VerificationError, match=rf"lists: {words}\. (Restore|Move)"):
        verify(results)


def kind(path):
    rule = getattr(step_of(path), "rule", path.partition("/")[0])
    return rule, PurePosixPath(path).suffix


def test_the_artefacts_that_are_tampered_with_are_one_of_each_kind(results):
    listed = {
        path.relative_to(results).as_posix()
        for path in results.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    beside = ("raw/", "logs/", "benchmarks/", "manifest.json")
    kinds = {kind(path) for path in listed if not path.startswith(beside)}
    assert {kind(path) for path in ARTEFACTS} == kinds
    assert listed.issuperset(ARTEFACTS)


@pytest.mark.parametrize("path", ARTEFACTS)
def test_what_was_changed_emptied_removed_or_renamed_is_named(results, path):
    file, named = results / path, re.escape(path)
    data = file.read_bytes()
    changed = bytearray(data)
    changed[len(data) // 2] ^= 1
    for content in (changed, b""):
        file.write_bytes(content)
        refused(results, rf"1 changed \({named}\)")
    other = file.with_name(f"other{file.suffix}")
    file.replace(other)
    other.write_bytes(data)
    added = re.escape(other.relative_to(results).as_posix())
    refused(results, rf"1 missing \({named}\); 1 not listed \({added}\)")
    other.unlink()
    refused(results, rf"1 missing \({named}\)")


@pytest.mark.parametrize("folder", ["", "code", "report/data", "people", "new"])
def test_what_was_added_is_named(results, folder):
    path = results / folder / "added.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text("a,b\n")
    refused(results, rf"1 not listed \({path.relative_to(results).as_posix()}\)")


def test_contents_that_changed_places_are_named(results):
    one, other = results / "measures/states.csv", results / "measures/comparison.csv"
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    refused(results, r"2 changed \(measures/comparison\.csv, measures/states\.csv\)")


@pytest.mark.parametrize("share", [0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99])
def test_one_changed_byte_of_the_manifest_is_found(results, share):
    path = results / "manifest.json"
    data = bytearray(path.read_bytes())
    data[int(share * len(data))] ^= 1
    path.write_bytes(data)
    with pytest.raises(
        VerificationError, match=r"manifest\.json (is damaged|was changed)"
    ):
        verify(results)


@pytest.mark.long
def test_another_place_locale_zone_and_umask_give_the_same_bytes(finished, tmp_path):
    """In `make test` it is plain Snakemake that runs elsewhere: test_snakemake."""
    folder = tmp_path / "Número 2, cópia"
    folder.mkdir()
    other = Study(folder, "small", TWIN_STUDY)
    ran = subprocess.run(
        [sys.executable, "-m", "microleak", "run", other.file.name, "--", "--cores=1"],
        cwd=folder,
        env={**os.environ, **elsewhere(tmp_path), "PYTHONHASHSEED": "1"},
        umask=0o077,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert other.bytes() == finished.bytes()
