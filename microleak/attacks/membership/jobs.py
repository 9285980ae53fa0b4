"""Steps of the membership family, and their jobs."""

from collections.abc import Callable, Iterator
from dataclasses import asdict

from microleak.overlap import OVERLAP, overlap_cost, overlap_job, people_of_both
from microleak.records.compared import crosswalk_between
from microleak.step import Costs, Job, Step, filters_of, measures_paths
from microleak.study_file.model import Study

_OF, _FILES = "microleak.attacks.membership", "microleak.tables.files"

MEMBERSHIP = Step(
    "membership",
    measures_paths("membership", "presence", "uniques", of="membership"),
    (f"{_OF}.measure", _FILES),
)
ROUGH, DESIGNS, ANSWERS, FINGERPRINTS = (
    Step(
        name,
        measures_paths(name, of="membership"),
        (f"{_OF}.{module}", _FILES),
        is_told_memory=True,
    )
    for name, module in (
        ("rough_membership", "rough"),
        ("designs", "designs"),
        ("answers", "designs"),
        ("fingerprints", "fingerprints"),
    )
)
MEMBER = Step(
    "member",
    {"member": "confidential/membership/{member}.csv"},
    (
        *(f"{_OF}.measure", "microleak.study_file.rough"),
        *("microleak.study_file.yaml", _FILES),
    ),
)


def _overlaps(study: Study) -> Iterator[Job]:
    for analysis in study.analyses["membership"].values():
        yield overlap_job(analysis.compared, study.is_synthetic_analysis(analysis))


def _memberships(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["membership"].items():
        inputs = {"profile": f"profiles/{name}/overlap.parquet"}
        settings = {"analysis": asdict(analysis.compared)}
        yield MEMBERSHIP.job({"membership": name}, inputs, settings)


def _of_records(
    step: Step, asked: str, *others: str
) -> tuple[Step, Callable[[Study], Iterator[Job]]]:
    """Return a step that reads records where a key asks for it, and its jobs.

    Other keys do not change what it finds.
    """

    def jobs(study: Study) -> Iterator[Job]:
        for name, analysis in study.analyses["membership"].items():
            if getattr(analysis, asked):
                settings = {
                    "analysis": analysis.model_dump(exclude={"targets", *others}),
                    "crosswalk": repr(crosswalk_between(analysis.wide)),
                }
                inputs = people_of_both(analysis.compared)
                yield step.job({"membership": name}, inputs, settings)

    return step, jobs


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


PUBLICATION = filters_of("membership")

STEPS = (
    (OVERLAP, _overlaps),
    (MEMBERSHIP, _memberships),
    _of_records(ROUGH, "roughly", "design", "sensitive", "fingerprint"),
    _of_records(DESIGNS, "design", "roughly", "sensitive", "fingerprint"),
    _of_records(ANSWERS, "sensitive", "roughly", "fingerprint"),
    _of_records(
        FINGERPRINTS, "fingerprint", "roughly", "sensitive", "design", "wanted"
    ),
    (MEMBER, _members),
)


def costs(study: Study) -> Iterator[Costs]:
    """Yield what the profiles of each analysis are of."""
    for analysis in study.analyses["membership"].values():
        yield overlap_cost(analysis.compared)
