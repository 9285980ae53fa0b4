"""Attacks on one person."""

from microleak.family import Family

FAMILY = Family(
    "targets",
    section="microleak.attacks.targets.section",
    jobs="microleak.attacks.targets.jobs",
    publish="microleak.attacks.targets.publish:PUBLICATION",
    part="microleak.attacks.targets.report:SHOWN",
    told="microleak.attacks.targets.section:told",
)
