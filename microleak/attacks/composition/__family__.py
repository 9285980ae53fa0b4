"""What several noisy counts with one budget leak together."""

from microleak.family import Family

FAMILY = Family(
    "composition",
    section="microleak.attacks.composition.section",
    jobs="microleak.attacks.composition.jobs",
    part="microleak.attacks.composition.report:SHOWN",
)
