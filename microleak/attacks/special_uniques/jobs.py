"""The step of special uniques, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

SPECIAL_UNIQUES = Step(
    "special_uniques",
    measures(
        *("special_uniques", "suda_scores", "suda_attributes", "suda_values"),
        of="special_uniques",
    ),
    ("microleak.attacks.special_uniques.measure", "microleak.tables.files"),
    is_told_memory=True,
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["special_uniques"].items():
        inputs = {"people": people(analysis.table, analysis.focal)}
        settings = {"analysis": analysis.model_dump()}
        yield SPECIAL_UNIQUES.job({"special_uniques": name}, inputs, settings)


STEPS = ((SPECIAL_UNIQUES, _jobs),)
