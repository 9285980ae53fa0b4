"""A study's results described as an RO-Crate, for who does not know microleak.

`ro-crate-metadata.json` follows RO-Crate 1.1 and the profile Provenance Run Crate
0.5 (S. Leo et al., Recording provenance of workflow runs with RO-Crate, 2024). It
says no more than the manifest does, and has no time, user, host or path of a
machine: the same study gives the same bytes. It is written here and not by the
package rocrate, whose crates have the time at which they were made, and whose
order of entities is that of its calls.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from microleak.files import write_text
from microleak.study.crate_files import (
    Entity,
    archives,
    ref,
    refs,
    results,
    study_file,
)
from microleak.study.crate_run import LICENCE, RUN, run, software
from microleak.study.workflow_code import SNAKEFILE

CRATE = "ro-crate-metadata.json"
"""Name of a study's crate, below its results; the specification gives it."""

DATE = "2026-11-21"
"""Date of microleak's version, as in CITATION.cff: no time of a run (decision 12)."""

_SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_CONTEXT = (
    f"{_SPECIFICATION}/context",
    {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"},
)
_WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    _WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
_TERMS = "#terms"


def write_crate(study_dir: Path, manifest: Mapping[str, Any]) -> None:
    """Write `ro-crate-metadata.json` of a study's results.

    Entities stand in this order: the crate, its profiles and licences; workflow,
    run, rules, steps and actions of the rules, software; study file and archives;
    results by their paths.

    Parameters
    ----------
    study_dir
        Folder of the study's results.
    manifest
        Content of its manifest, whose `outputs` lack the crate itself.
    """
    content = {"@context": _CONTEXT, "@graph": list(_graph(manifest))}
    text = json.dumps(content, indent=2, ensure_ascii=False)
    write_text(study_dir / CRATE, f"{text}\n")


def claims(manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Yield study file, archives, results and software, as a crate has them.

    They are what a manifest says, too. The crate itself, which it may list, is left
    out; of the Snakefile there is only what is said of every file.
    """
    yield study_file(manifest["config"])
    yield from archives(manifest)
    yield from results([o for o in manifest["outputs"] if o["path"] != CRATE])
    yield from software(manifest)


def _graph(manifest: Mapping[str, Any]) -> Iterator[Entity]:
    study, read = study_file(manifest["config"]), archives(manifest)
    ran = {part["@id"]: part for part in run(manifest, study, read)}
    files = {file["@id"]: file for file in results(manifest["outputs"])}
    yield _descriptor()
    yield _root(manifest, [study, *read, *files.values()], list(ran))
    yield from _context()
    # The Snakefile is a file, too: an entity stands once, with all that is said.
    yield from ({**files.pop(name, {}), **part} for name, part in ran.items())
    yield from (study, *read, *files.values())


def _descriptor() -> Entity:
    return {
        "@id": CRATE,
        "@type": "CreativeWork",
        "about": ref("./"),
        "conformsTo": refs([_SPECIFICATION, _WORKFLOW_CRATE]),
    }


def _root(manifest: Mapping[str, Any], files: list[Entity], ran: list[str]) -> Entity:
    data = "SYNTHETIC data, not about people" if manifest["synthetic"] else "Data"
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Results of the study {manifest['study']}",
        "description": (
            f"{data}: what a release of microdata gives away about the people in it. "
            "manifest.json lists the same files, with settings and counts of rows. "
            "The date is that of microleak's version, the earliest that these bytes "
            "can have: when the study ran is not kept."
        ),
        "datePublished": DATE,
        "license": ref(_TERMS),
        "conformsTo": refs(list(_PROFILES)),
        "mainEntity": ref(SNAKEFILE),
        "mentions": refs([name for name in ran if name.startswith(RUN)]),
        "hasPart": refs([file["@id"] for file in files]),
    }


def _context() -> Iterator[Entity]:
    """Yield profiles and licences."""
    for name, (called, version) in _PROFILES.items():
        yield {
            "@id": name,
            "@type": "CreativeWork",
            "name": called,
            "version": version,
        }
    yield {
        "@id": _TERMS,
        "@type": "CreativeWork",
        "name": "No licence is given",
        "description": (
            "Who ran the study says on what terms others have its results. Those of "
            "the data are their office's; tables/, people/, panels/ and "
            "confidential/ are about single persons."
        ),
    }
    yield {
        "@id": LICENCE,
        "@type": "CreativeWork",
        "name": "MIT licence",
        "description": "Terms of microleak itself",
    }
