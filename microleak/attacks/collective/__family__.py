"""Attacks on all persons at once."""

from microleak.family import Family

FAMILY = Family(
    "collective",
    section="microleak.attacks.collective.section",
    jobs="microleak.attacks.collective.jobs",
    estimate="microleak.attacks.collective.jobs:costs",
)
