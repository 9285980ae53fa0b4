"""Who is at risk."""

from microleak.family import Family

FAMILY = Family(
    "risk_groups",
    section="microleak.attacks.risk_groups.section",
    makes=("risk_groups",),
    publish="microleak.attacks.risk_groups.publish:PUBLICATION",
    part="microleak.attacks.risk_groups.report:SHOWN",
    risks="microleak.attacks.risk_groups.risks:RISKS",
)
