"""How anonymous a release is."""

from microleak.family import Family

FAMILY = Family(
    "anonymity",
    section="microleak.attacks.anonymity.section",
    jobs="microleak.attacks.anonymity.jobs",
    estimate="microleak.attacks.anonymity.jobs:costs",
)
