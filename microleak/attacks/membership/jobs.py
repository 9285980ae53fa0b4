"""Steps of the membership family, and their jobs."""

from collections.abc import Iterator
from dataclasses import asdict

from microleak.family import Costs, Job, Step, measures
from microleak.overlap import OVERLAP, overlap_cost, overlap_job, people_of_both
from microleak.records.compared import crosswalk_between
from microleak.study_file.model import Study

_OF, _FILES = "microleak.attacks.membership", "microleak.tables.files"

MEMBERSHIP = Step(
    "membership",
    measures("membership", "presence", "uniques", of="membership"),
    (f"{_OF}.measure", _FILES),
)
ROUGH = Step(
    "rough_membership",
    measures("rough_membership", of="membership"),
    (f"{_OF}.rough", _FILES),
    is_told_memory=True,
)
MEMBER = Step(
    "member",
    {"member": "confidential/membership/{member}.csv"},
    (
        *(f"{_OF}.measure", "microleak.study_file.rough"),
        *("microleak.study_file.yaml", _FILES),
    ),
    script="attack_member",
)


def _overlaps(study: Study) -> Iterator[Job]:
    for analysis in study.analyses["membership"].values():
        yield overlap_job(analysis.compared, study.is_synthetic_analysis(analysis))


def _memberships(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["membership"].items():
        inputs = {"profile": f"profiles/{name}/overlap.parquet"}
        settings = {"analysis": asdict(analysis.compared)}
        yield MEMBERSHIP.job({"membership": name}, inputs, settings)


def _rough(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["membership"].items():
        if analysis.roughly:
            compared = analysis.compared
            settings = {
                "analysis": analysis.model_dump(exclude={"targets"}),
                "crosswalk": repr(crosswalk_between(compared)),
            }
            yield ROUGH.job({"membership": name}, people_of_both(compared), settings)


def _members(study: Study) -> Iterator[Job]:
    for analysis in study.analyses["membership"].values():
        # What is known of them is no setting: the job reads it in the study file.
        compared = analysis.compared
        for name, target in analysis.member_files.items():
            settings = {
                "analysis": asdict(compared),
                "crosswalk": repr(crosswalk_between(compared)),
                "target": target,
                "roughly": analysis.model_dump(include={"roughly"})["roughly"],
            }
            inputs = people_of_both(compared)
            yield MEMBER.job({"member": name}, inputs, settings, reads_study=True)


STEPS = (
    (OVERLAP, _overlaps),
    (MEMBERSHIP, _memberships),
    (ROUGH, _rough),
    (MEMBER, _members),
)


def costs(study: Study) -> Iterator[Costs]:
    """Yield what the profiles of each analysis are of."""
    for analysis in study.analyses["membership"].values():
        yield overlap_cost(analysis.compared)
