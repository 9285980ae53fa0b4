"""The step of the targets family, its jobs, and how many there were."""

from collections.abc import Iterator

from pydantic import TypeAdapter

from microleak.attacks.targets.section import Target
from microleak.step import Job, Publication, Step, people_and_panels
from microleak.study_file.model import Study

TARGET = Step(
    "target",
    {
        "target": "confidential/targets/{targets}.csv",
        "further": "confidential/targets/{targets}-further.csv",
    },
    (
        *("microleak.attacks.targets.measure", "microleak.attacks.targets.section"),
        *("microleak.study_file.yaml", "microleak.tables.files"),
    ),
)


def _targets(study: Study) -> Iterator[Job]:
    for name, target in study.analyses["targets"].items():
        inputs = {"releases": people_and_panels(target)}
        # What is known of them is no setting: the job reads it in the study file.
        fields = TypeAdapter(Target).dump_python(target)
        settings = {"analysis": {key: fields[key] for key in fields if key != "known"}}
        yield TARGET.job({"targets": name}, inputs, settings, reads_study=True)


STEPS = ((TARGET, _targets),)


# How many single persons were attacked, and nothing of them.
PUBLICATION = Publication(
    lambda study, _: {"n_targets": len(study.analyses["targets"])}
)
