"""What noise buys and costs."""

from microleak.family import Family

FAMILY = Family(
    "mechanism",
    section="microleak.attacks.mechanism.section",
    jobs="microleak.attacks.mechanism.jobs",
    publish="microleak.attacks.mechanism.publish:PUBLICATION",
    part="microleak.attacks.mechanism.report:SHOWN",
)
