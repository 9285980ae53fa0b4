"""The step of the reconstruction family, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study

RECONSTRUCTION = Step(
    "reconstruction",
    measures("reconstruction", "bad_points", of="reconstruction"),
    ("microleak.attacks.reconstruction.rebuild", "microleak.tables.files"),
)


def _reconstructions(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["reconstruction"].items():
        releases = tuple(people(table, release) for table, release, _ in analysis.needs)
        inputs = {"people": releases}
        settings = {"analysis": analysis.model_dump(), "seed": study.seed}
        yield RECONSTRUCTION.job({"reconstruction": name}, inputs, settings)


STEPS = ((RECONSTRUCTION, _reconstructions),)
