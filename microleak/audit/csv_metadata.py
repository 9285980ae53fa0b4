"""What the CSV files below measures/ are, for who finds them alone.

A CSV has no place for metadata. `measures/csv-metadata.json` stands beside them,
in the form of CSV on the Web (W3C, Metadata Vocabulary for Tabular Data), which
says of each its columns and whether a twin made its data.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from microleak.attacks.membership.member import MEMBER
from microleak.attacks.reconstruction.attempts import solver
from microleak.attacks.targets.attack import FURTHER, TARGET
from microleak.base.files import write_text
from microleak.study.outputs import outputs_of
from microleak.study.releases import REMOVED
from microleak.study_file.model import Analysis, Study
from microleak.tables.columns import (
    ANONYMITY,
    BAD_POINTS,
    CLASSES,
    COLLECTIVE,
    COMPARISON,
    DISTRIBUTION,
    ENTROPY,
    EXPLAINED,
    GAIN,
    GROUPS,
    IMPORTANCE,
    INGEST,
    MECHANISM,
    MEMBERSHIP,
    PAIRS,
    PRESENCE,
    PUBLIC_BLOCKS,
    PUBLIC_INFERENCE,
    PUBLIC_RELEASES,
    RECONSTRUCTION,
    SAMPLES,
    SIMULATED,
    STATES,
    UNIQUES,
    VALUES,
    WORST,
)
from microleak.tables.meanings import (
    ANONYMITY_COLUMNS,
    COLUMNS,
    MECHANISM_COLUMNS,
    MEMBER_COLUMNS,
    RECONSTRUCTION_COLUMNS,
    TARGET_COLUMNS,
    Column,
)

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
    "values": (
        VALUES,
        "Success in inferring each value but the most frequent, where they are few.",
    ),
}
"""Columns and description of the tables that collective analyses have."""

OF_MEMBERSHIP = {
    "membership": (MEMBERSHIP, "What a sample gives away about who is in it."),
    "presence": (
        PRESENCE,
        "Persons by their chance to be in the sample, for the worst QID subsets.",
    ),
    "uniques": (
        UNIQUES,
        "Persons alone in the sample by those of the population whom they may be, for "
        "the worst QID subsets.",
    ),
}
"""Columns and description of the tables that membership analyses have."""

OF_ANONYMITY = {
    "anonymity": (ANONYMITY, "How anonymous a release is, by the usual models."),
    "classes": (CLASSES, "Blocks by size and values, for the worst QID subsets."),
}
"""Columns and description of the tables that anonymity analyses have."""

OF_MECHANISM = {
    "mechanism": (MECHANISM, "Privacy loss and utility of a noisy count."),
    "samples": (SAMPLES, "The same on random samples of the records."),
    "simulated": (SIMULATED, "Guesses from random noisy counts beside their chances."),
    "pairs": (PAIRS, "Which counts of an attribute's values leak which attribute."),
}
"""Columns and description of the tables that mechanism analyses have."""

OF_RECONSTRUCTION = {
    "reconstruction": (RECONSTRUCTION, "How far databases are rebuilt from answers."),
    "bad_points": (BAD_POINTS, "Points far from a database that its answers allow."),
}
"""Columns and description of the tables that reconstruction analyses have."""

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

OF_PUBLIC = {
    "blocks": (
        PUBLIC_BLOCKS,
        "Records by the size of their block, few QID subsets.",
    ),
    "inference": (PUBLIC_INFERENCE, "How often the best guess is right, the same."),
    "releases": (PUBLIC_RELEASES, "Records of each release."),
}
"""Columns and description of the tables that a public report has, and no others."""

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
    yield from _of_analyses(study, FAMILIES, study.analyses["collective"])
    yield from _of_analyses(study, OF_MEMBERSHIP, study.analyses["membership"])
    meanings = COLUMNS | ANONYMITY_COLUMNS
    yield from _of_analyses(study, OF_ANONYMITY, study.analyses["anonymity"], meanings)
    meanings = COLUMNS | MECHANISM_COLUMNS
    yield from _of_analyses(study, OF_MECHANISM, study.analyses["mechanism"], meanings)
    yield from _of_reconstruction(study)
    is_synthetic = any(study.is_synthetic_release(*release) for release in study.used)
    for name, (columns, text) in OF_STUDY.items():
        yield _table(f"{name}.csv", text, columns, is_synthetic)
    yield from _of_persons(study)


def _of_reconstruction(study: Study) -> Iterator[dict[str, Any]]:
    """Describe tables of databases that are rebuilt, and say by which solver."""
    meanings = COLUMNS | RECONSTRUCTION_COLUMNS
    tables = _of_analyses(
        study, OF_RECONSTRUCTION, study.analyses["reconstruction"], meanings
    )
    for table in tables:
        yield {**table, "notes": [*table["notes"], {"solver": solver()}]}


def _of_analyses(
    study: Study,
    families: Mapping[str, tuple[Sequence[str], str]],
    analyses: Mapping[str, Analysis],
    meanings: Mapping[str, Column] = COLUMNS,
) -> Iterator[dict[str, Any]]:
    """Describe the tables of each analysis, those that it has."""
    made = outputs_of(study)
    for family, (columns, text) in families.items():
        for name, analysis in sorted(analyses.items()):
            url = f"{family}/{name}.csv"
            if f"measures/{url}" in made:
                is_synthetic = study.is_synthetic_analysis(analysis)
                yield _table(url, text, columns, is_synthetic, meanings)


def _of_persons(study: Study) -> Iterator[dict[str, Any]]:
    """Describe the confidential tables."""
    for name, target in sorted(study.analyses["targets"].items()):
        is_synthetic = study.is_synthetic_analysis(target)
        for ending, columns, text in TARGETS:
            url = f"../confidential/targets/{name}{ending}.csv"
            yield _table(url, text, columns, is_synthetic, COLUMNS | TARGET_COLUMNS)
    members = {
        file: analysis
        for analysis in study.analyses["membership"].values()
        for file in analysis.member_files
    }
    for file, analysis in sorted(members.items()):
        is_synthetic = study.is_synthetic_analysis(analysis)
        url = f"../confidential/membership/{file}.csv"
        text = "Confidential: whether one person is in a sample."
        meanings = COLUMNS | TARGET_COLUMNS | MEMBER_COLUMNS
        yield _table(url, text, MEMBER, is_synthetic, meanings)


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
