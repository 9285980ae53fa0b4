"""The smallest protection that keeps a risk within bounds."""

from microleak.family import Family

FAMILY = Family(
    "smallest_protection",
    section="microleak.attacks.smallest_protection.section",
    jobs="microleak.attacks.smallest_protection.jobs",
    publish="microleak.attacks.smallest_protection.publish:PUBLICATION",
    part="microleak.attacks.smallest_protection.report:SHOWN",
    risks="microleak.attacks.smallest_protection.risks:RISKS",
)
