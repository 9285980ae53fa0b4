"""What the CSV files below measures/ are, for who finds them alone.

A CSV has no place for metadata. `measures/csv-metadata.json` stands beside them,
in the form of CSV on the Web (W3C, Metadata Vocabulary for Tabular Data), which
says of each its columns, in English and Portuguese, and whether a twin made its data.
"""

import json
import os.path
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from microleak.base.files import write_text
from microleak.family import load
from microleak.step import Job
from microleak.study.steps import jobs_of
from microleak.study.tables import result_tables
from microleak.study_file.model import Study
from microleak.tables.spec import Column, TableSpec, TextByLanguage


def write_csv_metadata(path: Path, study: Study) -> None:
    content = {
        "@context": "http://www.w3.org/ns/csvw",
        "dc:title": study.name,
        "tables": list(_tables(study)),
    }
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _tables(study: Study) -> Iterator[dict[str, Any]]:
    by_pattern = {spec.path: spec for spec in result_tables().values()}
    synthetic: set[str] = set()
    for job in jobs_of(study):
        is_synthetic = _is_synthetic(job, study, synthetic)
        synthetic |= set(job.outputs.values()) if is_synthetic else set()
        for name, path in job.outputs.items():
            spec = by_pattern.get(job.step.makes[name])
            if spec and path.endswith(".csv"):
                yield _table(path, spec, is_synthetic)


def _is_synthetic(job: Job, study: Study, synthetic: set[str]) -> bool:
    """Say whether a twin made anything that a job's results come from."""
    # So it is of databases that are drawn, which come from no release.
    if {"table", "release"} == job.names.keys():
        return study.is_synthetic_release(**job.names)
    given = set(job.input_paths)
    return bool(given & synthetic) or not (given or job.step.is_of_study)


def _table(path: str, spec: TableSpec, is_synthetic: bool) -> dict[str, Any]:
    notes = [{name: load(told)()} for name, told in spec.notes.items()]
    return {
        "url": os.path.relpath(path, "measures"),
        "dc:description": _in_languages(spec.description),
        "notes": [{"data": "SYNTHETIC" if is_synthetic else "released"}, *notes],
        "tableSchema": {"columns": [_column(column) for column in spec.columns]},
    }


def _column(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "titles": column.name,
        "datatype": column.type,
        "dc:description": _in_languages(column.meaning),
    }


def _in_languages(texts: TextByLanguage) -> list[dict[str, str]]:
    return [{"@value": text, "@language": name} for name, text in texts.items()]
