"""Who stands out by few attributes."""

from microleak.family import Family

FAMILY = Family(
    "special_uniques",
    section="microleak.attacks.special_uniques.section",
    jobs="microleak.attacks.special_uniques.jobs",
    part="microleak.attacks.special_uniques.report:SHOWN",
)
