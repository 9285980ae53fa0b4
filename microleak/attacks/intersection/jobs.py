"""The step of independent releases, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

INTERSECTION = Step(
    "intersection",
    measures("intersection", of="intersection"),
    ("microleak.attacks.intersection.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["intersection"].items():
        releases = (people(analysis.table, each) for each in analysis.releases)
        inputs = {"releases": tuple(releases)}
        settings = {"analysis": analysis.model_dump()}
        yield INTERSECTION.job({"intersection": name}, inputs, settings)


STEPS = ((INTERSECTION, _jobs),)
