"""Steps of the membership family, and their jobs."""

from collections.abc import Iterator

from microleak.family import (
    OVERLAP,
    Costs,
    Job,
    Paths,
    Step,
    measures,
    overlap_cost,
    overlap_job,
    people_of_both,
)
from microleak.records.compared import as_fields, crosswalk_between
from microleak.study_file.model import Study

_OF, _FILES = "microleak.attacks.membership", "microleak.tables.files"

MEMBERSHIP = Step(
    "membership",
    measures("membership", "presence", "uniques", of="membership"),
    ("overlap",),
    (f"{_OF}.measure", _FILES),
)
MEMBER = Step(
    "member",
    {"member": "confidential/membership/{member}.csv"},
    ("deduplicate",),
    ("microleak.study.load", f"{_OF}.member", f"{_OF}.section", _FILES),
    script="attack_member",
)


def _overlaps(study: Study) -> Iterator[Job]:
    for analysis in study.analyses["membership"].values():
        yield overlap_job(analysis, study.is_synthetic_analysis(analysis))


def _memberships(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["membership"].items():
        inputs: dict[str, Paths] = {"profile": f"profiles/{name}/overlap.parquet"}
        settings = {"analysis": as_fields(analysis)}
        yield MEMBERSHIP.job({"membership": name}, inputs, settings)


def _members(study: Study) -> Iterator[Job]:
    for analysis in study.analyses["membership"].values():
        settings = {"crosswalk": repr(crosswalk_between(analysis))}
        for name in analysis.member_files:
            yield MEMBER.job(
                {"member": name}, people_of_both(analysis), settings, reads_study=True
            )


STEPS = ((OVERLAP, _overlaps), (MEMBERSHIP, _memberships), (MEMBER, _members))


def costs(study: Study) -> Iterator[Costs]:
    """Yield what the profiles of each analysis are of."""
    yield from map(overlap_cost, study.analyses["membership"].values())
