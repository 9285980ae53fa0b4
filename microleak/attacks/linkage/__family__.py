"""How often a person is found in two releases without an identifier."""

from microleak.family import Family

FAMILY = Family(
    "linkage",
    section="microleak.attacks.linkage.section",
    jobs="microleak.attacks.linkage.jobs",
    part="microleak.attacks.linkage.report:SHOWN",
    told="microleak.attacks.linkage.section:told",
    risks="microleak.attacks.linkage.risks:RISKS",
)
