"""Steps of the mechanism family, and their jobs."""

from collections.abc import Iterator
from dataclasses import asdict

from microleak.step import Job, Step, filters_of, measures_paths, people
from microleak.study_file.model import Study

_OF = "microleak.attacks.mechanism"

CONTINGENCY = Step(
    "contingency",
    {"profile": "profiles/{mechanism}/contingency.parquet"},
    (f"{_OF}.contingency",),
    is_told_memory=True,
)
MECHANISM = Step(
    "mechanism",
    measures_paths("mechanism", "samples", "simulated", "pairs", of="mechanism"),
    (f"{_OF}.measure", "microleak.tables.files"),
)


def _contingencies(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["mechanism"].items():
        counted = analysis.counted
        settings = {
            "counted": asdict(counted),
            "is_synthetic": study.is_synthetic_analysis(analysis),
        }
        inputs = {"people": people(counted.table, counted.release)}
        yield CONTINGENCY.job({"mechanism": name}, inputs, settings)


def _mechanisms(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["mechanism"].items():
        inputs = {"profile": f"profiles/{name}/contingency.parquet"}
        settings = {"analysis": analysis.model_dump(), "seed": study.seed}
        yield MECHANISM.job({"mechanism": name}, inputs, settings)


PUBLICATION = filters_of("mechanism")
STEPS = ((CONTINGENCY, _contingencies), (MECHANISM, _mechanisms))
