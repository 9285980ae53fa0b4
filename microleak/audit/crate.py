"""A study's results described as an RO-Crate, for readers who do not know microleak.

An action stands for all jobs of a rule: jobs have times and an order, which differ
from run to run.

`ro-crate-metadata.json` follows RO-Crate 1.1 and the profile Provenance Run Crate
0.5 (S. Leo et al., Recording provenance of workflow runs with RO-Crate, 2024). It
says no more than the manifest does, and has no time, user, host or path of a
machine: the same study gives the same bytes. It is written here and not by the
package rocrate, whose crates have the time at which they were made, and whose
order of entities is that of its calls.
"""

import base64
import json
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from microleak.base.files import whole_folder, write_text
from microleak.base.paths import CODE, RECORDS, ROOT, name_of
from microleak.step import Step
from microleak.study.jobs import INGEST
from microleak.study.steps import step_of
from microleak.study.steps import steps_by_rule as every_step

SNAKEFILE = f"{CODE}/workflow/Snakefile"

_RULE = re.compile(r'^rule (\w+):\n    """(.*?)"""', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Rule:
    """Where a rule stands, as a path of the copy, and what its docstring says."""

    path: str
    says: str


def workflow_files() -> list[Path]:
    """Workflow, captions and scripts of this checkout, in the order of their paths."""
    parts = (
        *(("", "Snakefile"), ("scripts", "*.py"), ("workflow", "Snakefile")),
        *(("workflow/report", "*.rst"), ("workflow/rules", "*.smk")),
    )
    return [
        file
        for folder, pattern in parts
        for file in sorted((ROOT / folder).glob(pattern))
    ]


def copy_code(study_dir: Path) -> None:
    """Copy the workflow's files, bytes alone, in place of an earlier copy."""
    with whole_folder(study_dir / CODE) as folder:
        for file in workflow_files():
            copy = folder / name_of(file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def rules() -> dict[str, Rule]:
    return {
        name: Rule(f"{CODE}/{name_of(file)}", " ".join(says.split()))
        for file in workflow_files()
        for name, says in _RULE.findall(file.read_text(encoding="utf-8"))
    }


Entity = dict[str, Any]

FORMATS = {
    "": "text/plain",
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
    ".rst": "text/x-rst",
    ".smk": "text/plain",
    ".svg": "image/svg+xml",
}
"""Media types of results by ending; a machine's own list of them may differ."""

BYTES = "application/octet-stream"  # Media type of what is not known by its ending


def ref(identifier: str) -> Entity:
    return {"@id": identifier}


def refs(identifiers: Iterable[str]) -> Entity | list[Entity]:
    """Point to entities of the crate, in the order given; one stands without a list."""
    found = [ref(each) for each in identifiers]
    return found[0] if len(found) == 1 else found


def results(outputs: list[dict[str, Any]]) -> Iterator[Entity]:
    """Yield a file of the crate for each result that a manifest lists."""
    # It has the path, SHA-256 and bytes alone, whatever it holds.
    for listed in outputs:
        path = listed["path"]
        yield {
            "@id": path,
            "@type": "File",
            "name": path,
            "encodingFormat": FORMATS.get(PurePosixPath(path).suffix, BYTES),
            "sha256": listed["sha256"],
            "contentSize": str(listed["bytes"]),
        }


def study_file(config: Mapping[str, Any]) -> Entity:
    """Return the study file, which is not in the crate: it may tell of a target."""
    return {
        "@id": named_by_hash(config["sha256"]),
        "@type": "File",
        "name": config["name"],
        "description": "The study file",
        "encodingFormat": "application/yaml",
        "sha256": config["sha256"],
    }


def archives(manifest: Mapping[str, Any]) -> list[Entity]:
    """Return the archives that were read, each once, in the order of their tables."""
    # The SHA-256 of a folder is that of the list of its files, as `sha256sum` prints
    # it, and its bytes are theirs. An address stands there if the study file names one,
    # as the manifest shows it.
    found: dict[str, Entity] = {}
    for path, receipt in manifest["inputs"].items():
        if path.startswith("tables/"):
            archive = _archive(path, receipt, manifest["config"]["content"])
            found.setdefault(archive["@id"], archive)
    return list(found.values())


def _archive(
    path: str, receipt: Mapping[str, Any], content: Mapping[str, Any]
) -> Entity:
    table, release = PurePosixPath(path).with_suffix("").parts[1:]
    url = content["tables"][table]["releases"][release].get("url")
    return {
        "@id": named_by_hash(receipt["sha256"]),
        "@type": "File",
        "name": receipt["archive"],
        "description": f"What was released as {release} of {table}",
        "encodingFormat": BYTES,
        **({"url": url} if url else {}),
        "sha256": receipt["sha256"],
        "contentSize": str(receipt["bytes"]),
    }


def named_by_hash(sha256: str) -> str:
    """URI of a file that lies elsewhere: its hash (RFC 6920).

    >>> named_by_hash("00" * 32)
    'ni:///sha-256;AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    """
    coded = base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode()
    return f"ni:///sha-256;{coded.rstrip('=')}"


RUN = "#run"
LICENCE = "https://spdx.org/licenses/MIT"
_WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
_LANGUAGE = "#snakemake"
_FINGERPRINT = "SHA-256 of all its files: "
_DONE = "http://schema.org/CompletedActionStatus"


def run(
    manifest: Mapping[str, Any],
    study: Entity,
    read: list[Entity],
    records: Sequence[Mapping[str, Any]],
) -> list[Entity]:
    """Return workflow, tools, steps and actions of a study that ran to its end."""
    rule_of = {path: record["rule"] for record in records for path in record["outputs"]}
    made: dict[str, list[str]] = {}
    for path in (listed["path"] for listed in manifest["outputs"]):
        if path not in rule_of and (step := step_of(path)):
            rule_of[path] = step.rule
        if path in rule_of:
            made.setdefault(rule_of[path], []).append(path)
    reads: dict[str, set[str]] = {}
    for record in records:
        reads.setdefault(record["rule"], set()).update(
            p for _, p, _ in record["inputs"]
        )
    steps, code = [s for s in every_step().values() if s.rule in made], rules()
    return [
        *_workflow(steps, code, manifest),
        _whole_run(manifest, [study["@id"], *(each["@id"] for each in read)]),
        *(_tool(step, code[step.rule]) for step in steps),
        *(_step(step, code[step.rule], i) for i, step in enumerate(steps, 1)),
        *(_action(step, code[step.rule], made, study, read, reads) for step in steps),
        *software(manifest),
    ]


def _workflow(
    steps: list[Step], code: Mapping[str, Rule], manifest: Mapping[str, Any]
) -> Iterator[Entity]:
    """Yield what the Snakefile is more than a file, and its language."""
    yield {
        "@id": SNAKEFILE,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
        "name": "microleak",
        "version": manifest["code"]["microleak"],
        "conformsTo": ref(_WORKFLOW_PROFILE),
        "license": ref(LICENCE),
        "programmingLanguage": ref(_LANGUAGE),
        "hasPart": refs([_tool_id(step, code[step.rule]) for step in steps]),
        "step": refs([f"#step-{step.rule}" for step in steps]),
        "softwareRequirements": refs([_software_id(name) for name in _used(manifest)]),
    }
    yield {
        "@id": _LANGUAGE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "version": manifest["versions"]["snakemake"],
        "url": ref("https://snakemake.readthedocs.io"),
    }


def _whole_run(manifest: Mapping[str, Any], used: list[str]) -> Entity:
    return {
        "@id": RUN,
        "@type": "CreateAction",
        "name": f"Run of the study {manifest['study']}",
        "instrument": ref(SNAKEFILE),
        "object": refs(used),
        "result": refs([listed["path"] for listed in manifest["outputs"]]),
        "actionStatus": _DONE,
    }


def _tool(step: Step, rule: Rule) -> Entity:
    return {
        "@id": _tool_id(step, rule),
        "@type": "SoftwareSourceCode",
        "name": f"rule {step.rule}",
        "description": rule.says,
        "isPartOf": ref(rule.path),
        "license": ref(LICENCE),
    }


def _step(step: Step, rule: Rule, position: int) -> Entity:
    return {
        "@id": f"#step-{step.rule}",
        "@type": "HowToStep",
        "name": step.rule,
        "position": str(position),
        "workExample": ref(_tool_id(step, rule)),
    }


def _action(
    step: Step,
    rule: Rule,
    made: Mapping[str, list[str]],
    study: Entity,
    read: list[Entity],
    reads: Mapping[str, Collection[str]],
) -> Entity:
    of_rule = reads.get(step.rule, ())
    used = [path for paths in made.values() for path in paths if path in of_rule]
    archives = [archive["@id"] for archive in read] if step.rule == INGEST.rule else []
    return {
        "@id": f"#run-{step.rule}",
        "@type": "CreateAction",
        "name": f"Run of {step.rule}",
        "instrument": ref(_tool_id(step, rule)),
        "object": refs([study["@id"], *archives, *used]),
        "result": refs(made[step.rule]),
        "actionStatus": _DONE,
    }


def software(manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Yield microleak, with its fingerprint, and what its results depend on."""
    fingerprint = f"{_FINGERPRINT}{manifest['code']['fingerprint']}"
    for name, version in _used(manifest).items():
        yield {
            "@id": _software_id(name),
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
            **({"description": fingerprint} if name == "microleak" else {}),
        }


def fingerprint_in(entity: Mapping[str, Any]) -> str | None:
    """Return the fingerprint that an entity has if it is microleak; None if not."""
    if entity["@id"] != _software_id("microleak"):
        return None
    return str(entity["description"]).removeprefix(_FINGERPRINT)


def _used(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {"microleak": manifest["code"]["microleak"], **manifest["versions"]}


def _software_id(name: str) -> str:
    return f"#software-{name}"


def _tool_id(step: Step, rule: Rule) -> str:
    return f"{rule.path}#{step.rule}"


# Name of a study's crate, below its results; the specification gives it
CRATE = "ro-crate-metadata.json"
# Date of microleak's version, as in CITATION.cff: no time of a run (decision 12)
DATE = "2026-11-21"
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
    """Write `ro-crate-metadata.json` of a study's results."""
    # Entities stand in this order: the crate, its profiles and licences; workflow, run,
    # rules, steps and actions of the rules, software; study file and archives; results
    # by their paths.
    files = sorted(study_dir.glob(f"{RECORDS}/**/*.json"))
    records = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    graph = list(_graph(manifest, records))
    content = {"@context": _CONTEXT, "@graph": graph}
    text = json.dumps(content, indent=2, ensure_ascii=False)
    write_text(study_dir / CRATE, f"{text}\n")


def claims(manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Yield study file, archives, results and software, as a crate has them."""
    # They are what a manifest says, too. The crate itself, which it may list, is left
    # out; of the Snakefile there is only what is said of every file.
    yield study_file(manifest["config"])
    yield from archives(manifest)
    yield from results([o for o in manifest["outputs"] if o["path"] != CRATE])
    yield from software(manifest)


def _graph(
    manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]]
) -> Iterator[Entity]:
    study, read = study_file(manifest["config"]), archives(manifest)
    ran = {part["@id"]: part for part in run(manifest, study, read, records)}
    files = {file["@id"]: file for file in results(manifest["outputs"])}
    yield {
        "@id": CRATE,
        "@type": "CreativeWork",
        "about": ref("./"),
        "conformsTo": refs([_SPECIFICATION, _WORKFLOW_CRATE]),
    }
    yield _root(manifest, [study, *read, *files.values()], list(ran))
    yield from _context()
    # The Snakefile is a file, too: an entity stands once, with all that is said.
    yield from ({**files.pop(name, {}), **part} for name, part in ran.items())
    yield from (study, *read, *files.values())


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
    for name, (called, version) in _PROFILES.items():
        yield {"@id": name, "@type": "CreativeWork", "name": called, "version": version}
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
