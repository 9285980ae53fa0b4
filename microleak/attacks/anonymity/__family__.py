"""How anonymous a release is."""

from microleak.family import Family

FAMILY = Family(
    "anonymity",
    section="microleak.attacks.anonymity.section",
    jobs="microleak.attacks.anonymity.jobs",
    part="microleak.attacks.anonymity.report:SHOWN",
    estimate="microleak.attacks.anonymity.jobs:costs",
)
