"""The step of what is known roughly, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

ROUGH_KNOWLEDGE = Step(
    "rough_knowledge",
    measures("rough_knowledge", of="rough_knowledge"),
    ("microleak.attacks.rough_knowledge.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["rough_knowledge"].items():
        inputs = {"people": people(analysis.table, analysis.focal)}
        settings = {"analysis": analysis.model_dump()}
        yield ROUGH_KNOWLEDGE.job({"rough_knowledge": name}, inputs, settings)


STEPS = ((ROUGH_KNOWLEDGE, _jobs),)
