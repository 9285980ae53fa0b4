"""Steps of links without an identifier, and their jobs."""

from collections.abc import Iterator
from typing import Any

from microleak.attacks.linkage.section import Linkage
from microleak.step import Job, Step, measures_paths, people
from microleak.study_file.model import Study

LINKAGE = Step(
    "linkage",
    measures_paths("linkage", "linkage_bins", "linked_success", of="linkage"),
    ("microleak.attacks.linkage.measure", "microleak.tables.files"),
    is_told_memory=True,
)
LINKED_TARGET = Step(
    "linked_target",
    {"linked_target": "confidential/linkage/{linked}.csv"},
    (
        *("microleak.attacks.linkage.target", "microleak.study_file.yaml"),
        "microleak.tables.files",
    ),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["linkage"].items():
        yield LINKAGE.job({"linkage": name}, _releases(analysis), _settings(analysis))


def _targets(study: Study) -> Iterator[Job]:
    for analysis in study.analyses["linkage"].values():
        # What is known of them is no setting: the job reads it in the study file.
        for name, target in analysis.linked_files.items():
            settings = {**_settings(analysis), "target": target}
            names = {"linked": name}
            inputs = _releases(analysis)
            yield LINKED_TARGET.job(names, inputs, settings, reads_study=True)


def _releases(analysis: Linkage) -> dict[str, str]:
    return {
        "focal": people(analysis.table, analysis.focal),
        "auxiliary": people(analysis.table, analysis.linked),
    }


def _settings(analysis: Linkage) -> dict[str, Any]:
    return {"analysis": analysis.model_dump(exclude={"targets"})}


STEPS = ((LINKAGE, _jobs), (LINKED_TARGET, _targets))
