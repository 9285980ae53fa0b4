"""The run of a crate: its workflow, the steps of it, and what each made of what.

An action stands for all jobs of a rule: jobs have times and an order, which differ
from run to run.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from microleak.study.crate_files import Entity, ref, refs
from microleak.study.steps import STEPS, Step, step_of
from microleak.study.workflow_code import SNAKEFILE, Rule, rules

RUN = "#run"
LICENCE = "https://spdx.org/licenses/MIT"
_WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
_LANGUAGE = "#snakemake"
_FINGERPRINT = "SHA-256 of all its files: "
_DONE = "http://schema.org/CompletedActionStatus"


def run(manifest: Mapping[str, Any], study: Entity, read: list[Entity]) -> list[Entity]:
    """Return workflow, tools, steps and actions of a study that ran to its end.

    Parameters
    ----------
    manifest
        Content of the manifest, of which `outputs` and `versions` are used.
    study, read
        The study file, and the archives.
    """
    made: dict[str, list[str]] = {}
    for listed in manifest["outputs"]:
        if step := step_of(listed["path"]):
            made.setdefault(step.rule, []).append(listed["path"])
    steps, code = [step for step in STEPS if step.rule in made], rules()
    return [
        *_workflow(steps, code, manifest),
        _whole_run(manifest, [study["@id"], *(each["@id"] for each in read)]),
        *(_tool(step, code[step.rule]) for step in steps),
        *(_step(step, code[step.rule], i) for i, step in enumerate(steps, 1)),
        *(_action(step, code[step.rule], made, study, read) for step in steps),
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
) -> Entity:
    used = [path for need in step.needs for path in made.get(need, [])]
    archives = [archive["@id"] for archive in read] if step.rule == "ingest" else []
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
