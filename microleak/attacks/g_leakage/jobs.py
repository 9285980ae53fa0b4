"""The step of the family of gain functions, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

G_LEAKAGE = Step(
    "g_leakage",
    measures("g_leakage", of="g_leakage"),
    ("microleak.attacks.g_leakage.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["g_leakage"].items():
        inputs = {"people": people(analysis.table, analysis.focal)}
        settings = {"analysis": analysis.model_dump()}
        yield G_LEAKAGE.job({"g_leakage": name}, inputs, settings)


STEPS = ((G_LEAKAGE, _jobs),)
