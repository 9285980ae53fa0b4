"""The step of known protections, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.hierarchies import files_of
from microleak.study_file.model import Study

KNOWN_PROTECTION = Step(
    "known_protection",
    measures("known_protection", "undone_cells", of="known_protection"),
    ("microleak.attacks.known_protection.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["known_protection"].items():
        inputs = {
            "before": people(analysis.table, analysis.release),
            "after": people(analysis.table, analysis.focal),
        }
        settings = {
            "analysis": analysis.as_given(),
            "files": files_of(analysis.hierarchies),
        }
        yield KNOWN_PROTECTION.job({"known_protection": name}, inputs, settings)


STEPS = ((KNOWN_PROTECTION, _jobs),)
