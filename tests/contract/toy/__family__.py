"""How many values an attribute has: the smallest family there can be."""

from microleak.family import Family

FAMILY = Family(
    "toy",
    section="microleak.attacks.toy.section",
    jobs="microleak.attacks.toy.jobs",
    part="microleak.attacks.toy.report:SHOWN",
)
