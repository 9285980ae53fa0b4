"""The step of several noisy counts, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

COMPOSITION = Step(
    "composition",
    measures("composition", of="composition"),
    ("microleak.attacks.composition.measure", "microleak.tables.files"),
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["composition"].items():
        inputs = {"people": people(analysis.table, analysis.focal)}
        settings = {"analysis": analysis.model_dump()}
        yield COMPOSITION.job({"composition": name}, inputs, settings)


STEPS = ((COMPOSITION, _jobs),)
