"""Who of a population is in a sample."""

from microleak.family import Family

FAMILY = Family(
    "membership",
    section="microleak.attacks.membership.section",
    jobs="microleak.attacks.membership.jobs",
    publish="microleak.attacks.membership.publish:PUBLICATION",
    part="microleak.attacks.membership.report:SHOWN",
    estimate="microleak.attacks.membership.jobs:costs",
    told="microleak.attacks.membership.section:told",
    risks="microleak.attacks.membership.risks:RISKS",
)
