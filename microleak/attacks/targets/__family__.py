"""Attacks on one person."""

from microleak.family import Family

FAMILY = Family(
    "targets",
    section="microleak.attacks.targets.section",
    jobs="microleak.attacks.targets.jobs",
    told="microleak.attacks.targets.section:told",
)
