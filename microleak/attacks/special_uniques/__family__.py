"""Who stands out by few attributes."""

from microleak.family import Family

FAMILY = Family(
    "special_uniques",
    section="microleak.attacks.special_uniques.section",
    makes=(
        "special_uniques",
        "suda_scores",
        "suda_attributes",
        "suda_values",
    ),
    part="microleak.attacks.special_uniques.report:SHOWN",
)
