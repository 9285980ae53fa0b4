"""How anonymous a release is."""

from microleak.family import Family

FAMILY = Family(
    "anonymity",
    section="microleak.attacks.anonymity.section",
    jobs="microleak.attacks.anonymity.jobs",
    publish="microleak.attacks.anonymity.publish:PUBLICATION",
    estimate="microleak.attacks.anonymity.jobs:costs",
)
