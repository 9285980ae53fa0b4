"""What the CSV files below measures/ are, for who finds them alone.

A CSV has no place for metadata. `measures/csv-metadata.json` stands beside them,
in the form of CSV on the Web (W3C, Metadata Vocabulary for Tabular Data), which
says of each its columns and whether a twin made its data.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from microleak.columns import (
    COLLECTIVE,
    COMPARISON,
    DISTRIBUTION,
    ENTROPY,
    EXPLAINED,
    GAIN,
    GROUPS,
    IMPORTANCE,
    INGEST,
    STATES,
    WORST,
)
from microleak.files import write_text
from microleak.meanings import COLUMNS, TARGET_COLUMNS, Column
from microleak.study.model import Study
from microleak.study.outputs import outputs_of
from microleak.study.removed import REMOVED
from microleak.study.target import FURTHER, TARGET

FAMILIES = {
    "collective": (COLLECTIVE, "Success of the attacks with every QID subset."),
    "worst": (WORST, "The worst QID subset of each size."),
    "distribution": (
        DISTRIBUTION,
        "Records by individual success, for the worst QID subsets.",
    ),
    "importance": (IMPORTANCE, "What each attribute brings to the success."),
    "gain": (GAIN, "What each further release that is linked adds to the success."),
    "entropy": (ENTROPY, "How evenly QIDs and sensitive attributes divide records."),
    "groups": (GROUPS, "Success in inferring that a value is one of a group."),
}
"""Columns and description of the tables that analyses have."""

OF_STUDY = {
    "comparison": (
        COMPARISON,
        "The same attacks on successive releases of a table, side by side.",
    ),
    "states": (STATES, "The worst QID subset of each size, states side by side."),
    "explained": (EXPLAINED, "What goes together with the leakage of states."),
    "ingest": (INGEST, "Rows of each release."),
    "removed": (REMOVED, "Rows removed as invalid, by attribute and reason."),
}
"""Columns and description of the tables that a study has once."""

TARGETS = (
    ("", TARGET, "Confidential: what an adversary learns of one person."),
    ("-further", FURTHER, "Confidential: which attribute would tell most next."),
)
"""How the names of a target's tables end, their columns and description."""


def write_csv_metadata(path: Path, study: Study) -> None:
    """Describe the CSV files of a study's measures in a JSON beside them."""
    content = {
        "@context": "http://www.w3.org/ns/csvw",
        "dc:title": study.name,
        "tables": list(_tables(study)),
    }
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _tables(study: Study) -> Iterator[dict[str, Any]]:
    yield from _of_analyses(study)
    is_synthetic = any(study.is_synthetic_release(*release) for release in study.used)
    for name, (columns, text) in OF_STUDY.items():
        yield _table(f"{name}.csv", text, columns, is_synthetic)
    for name, target in sorted(study.targets.items()):
        is_synthetic = study.is_synthetic_analysis(target)
        for ending, columns, text in TARGETS:
            url = f"../confidential/targets/{name}{ending}.csv"
            yield _table(url, text, columns, is_synthetic, COLUMNS | TARGET_COLUMNS)


def _of_analyses(study: Study) -> Iterator[dict[str, Any]]:
    """Describe the tables of each analysis, those that it has."""
    made = outputs_of(study)
    for family, (columns, text) in FAMILIES.items():
        for name, analysis in sorted(study.collective.items()):
            url = f"{family}/{name}.csv"
            if f"measures/{url}" in made:
                is_synthetic = study.is_synthetic_analysis(analysis)
                yield _table(url, text, columns, is_synthetic)


def _table(
    url: str,
    text: str,
    columns: Sequence[str],
    is_synthetic: bool,
    meanings: Mapping[str, Column] = COLUMNS,
) -> dict[str, Any]:
    return {
        "url": url,
        "dc:description": text,
        "notes": [{"data": "SYNTHETIC" if is_synthetic else "released"}],
        "tableSchema": {
            "columns": [
                {
                    "name": name,
                    "titles": name,
                    "datatype": meanings[name].datatype,
                    "dc:description": meanings[name].meaning,
                }
                for name in columns
            ]
        },
    }
