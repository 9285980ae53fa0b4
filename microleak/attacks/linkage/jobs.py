"""The step of links without an identifier, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

LINKAGE = Step(
    "linkage",
    measures("linkage", "linkage_bins", "linked_success", of="linkage"),
    ("microleak.attacks.linkage.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["linkage"].items():
        inputs = {
            "focal": people(analysis.table, analysis.focal),
            "auxiliary": people(analysis.table, analysis.linked),
        }
        settings = {"analysis": analysis.model_dump()}
        yield LINKAGE.job({"linkage": name}, inputs, settings)


STEPS = ((LINKAGE, _jobs),)
