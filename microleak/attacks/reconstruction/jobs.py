"""The step of the reconstruction family, and its jobs."""

from collections.abc import Iterator

from microleak.step import Job, Step, measures_paths, people_needed
from microleak.study_file.model import Study

RECONSTRUCTION = Step(
    "reconstruction",
    measures_paths("reconstruction", "bad_points", of="reconstruction"),
    ("microleak.attacks.reconstruction.measure", "microleak.tables.files"),
)


def _reconstructions(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["reconstruction"].items():
        settings = {"analysis": analysis.model_dump(), "seed": study.seed}
        names = {"reconstruction": name}
        yield RECONSTRUCTION.job(names, people_needed(analysis), settings)


STEPS = ((RECONSTRUCTION, _reconstructions),)
