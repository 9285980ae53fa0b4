"""The step of who is at risk, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

RISK_GROUPS = Step(
    "risk_groups",
    measures("risk_groups", of="risk_groups"),
    ("microleak.attacks.risk_groups.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["risk_groups"].items():
        inputs = {"people": people(analysis.table, analysis.focal)}
        settings = {"analysis": analysis.model_dump()}
        yield RISK_GROUPS.job({"risk_groups": name}, inputs, settings)


STEPS = ((RISK_GROUPS, _jobs),)
