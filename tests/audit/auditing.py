"""Results of a study with one release, small enough to be seen, and their manifest."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.audit.crate import workflow_files
from microleak.audit.manifest import write_manifest
from microleak.audit.sealed import sealed_text
from microleak.base.digests import Digests
from microleak.base.files import sha256_of, write_text
from microleak.base.paths import ROOT
from microleak.study.listing import files_of
from microleak.study.steps import step_of

STUDY = {
    "study": "small",
    "seed": 3,
    "tables": {
        "census": {
            "source": "delimited",
            "releases": {
                "2018": {"archive": "/home/someone/data/census.zip"},
                "2019": {"url": "https://ana:key@example.org/census.zip?sig=s3#x"},
            },
        }
    },
    "analyses": {},
}
INGESTED = {
    "archive": "census.zip",
    "sha256": "0" * 64,
    "bytes": 9,
    "members": [{"name": "a.csv", "n_rows": 3}],
    "n_read": 3,
}
RECORD = "records/all.json"
OUTPUTS = [
    *("measures/collective/a.csv", "measures/ingest.csv"),
    *("people/census/2018.json", "people/census/2018.parquet"),
    *("tables/census/2018.json", "figures/a", "report", RECORD),
]
CODE = [f"code/{file.relative_to(ROOT).as_posix()}" for file in workflow_files()]
N_FILES = 8 + len(CODE) + 1
MEASURE = 'attack,note\nCRS,"two\nlines"\nCAS,é\n'


def results_of(folder):
    study_dir = folder / "results" / "small"
    for path, text in {
        "tables/census/2018.json": json.dumps(INGESTED),
        "people/census/2018.json": '{"n_records": 2}',
        "measures/collective/a.csv": MEASURE,
        "measures/ingest.csv": "release,synthetic\n2018,false\n",
        "report/index.html": "<p>é</p>",
        "figures/a/x.svg": "<svg/>",
        "logs/profile/a.log": "at 10:31",
        "benchmarks/profile/a.tsv": "1.5 s",
        "raw/url/census/2018": "bytes",
        "figures/a/.snakemake_timestamp": "",
        "people/census/.unfinished-2018.parquet.x1/2018.parquet": "half",
    }.items():
        (study_dir / path).parent.mkdir(parents=True, exist_ok=True)
        (study_dir / path).write_text(text, encoding="utf-8")
    table = pa.table({"person": ["ana", "ben"]})
    pq.write_table(table, study_dir / "people/census/2018.parquet")
    made = {
        path: sha256_of(study_dir / path)
        for path in files_of(study_dir)
        if step_of(path)
    }
    record = {"rule": "all", "settings": {}, "inputs": [], "outputs": made}
    write_text(study_dir / RECORD, json.dumps(record))
    return study_dir


def study_file(folder):
    path = folder / "small.yaml"
    path.write_text("study: small\n")
    return path


def audited(folder):
    study_dir = results_of(folder)
    write_manifest(study_dir, STUDY, study_file(folder), OUTPUTS, Digests())
    return study_dir


def copied(study_dir, folder):
    return shutil.copytree(study_dir, folder / "results" / "small", symlinks=True)


def sealed_again(study_dir, change):
    path = study_dir / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest["manifest_sha256"]
    change(manifest)
    path.write_text(sealed_text(manifest), encoding="utf-8")
