"""Attacks on all persons at once."""

from microleak.family import Family

FAMILY = Family(
    "collective",
    section="microleak.attacks.collective.section",
    jobs="microleak.attacks.collective.jobs",
    publish="microleak.attacks.collective.publish:PUBLICATION",
    part="microleak.attacks.collective.report.pages:SHOWN",
    estimate="microleak.attacks.collective.jobs:costs",
    risks="microleak.attacks.collective.risks:RISKS",
)
