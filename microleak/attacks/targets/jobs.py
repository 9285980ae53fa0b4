"""The step of the targets family, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Paths, Step, people_and_panels
from microleak.study_file.model import Study

TARGET = Step(
    "target",
    {
        "target": "confidential/targets/{targets}.csv",
        "further": "confidential/targets/{targets}-further.csv",
    },
    ("deduplicate", "join"),
    (
        *("microleak.study.load", "microleak.attacks.targets.attack"),
        *("microleak.attacks.targets.section", "microleak.tables.files"),
    ),
    script="attack_target",
)


def _targets(study: Study) -> Iterator[Job]:
    for name, target in study.analyses["targets"].items():
        inputs: dict[str, Paths] = {"releases": people_and_panels(target)}
        yield TARGET.job({"targets": name}, inputs, reads_study=True)


STEPS = ((TARGET, _targets),)
