"""The step of the search, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.hierarchies import files_of
from microleak.study_file.model import Study

OF_SEARCH = (
    *("smallest_protection", "witnesses", "cuts", "lattice", "minimality"),
    "exposed",
)
"""Tables of each search."""

SMALLEST_PROTECTION = Step(
    "smallest_protection",
    measures(*OF_SEARCH, of="smallest_protection"),
    ("microleak.attacks.smallest_protection.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["smallest_protection"].items():
        inputs = {"people": people(analysis.table, analysis.focal)}
        settings = {
            "analysis": analysis.model_dump(),
            "files": files_of(analysis.hierarchies),
        }
        yield SMALLEST_PROTECTION.job({"smallest_protection": name}, inputs, settings)


STEPS = ((SMALLEST_PROTECTION, _jobs),)
