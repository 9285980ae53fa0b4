"""What tables of counts prove about the records that they were made of."""

from microleak.family import Family

FAMILY = Family(
    "table_rebuilding",
    section="microleak.attacks.table_rebuilding.section",
    jobs="microleak.attacks.table_rebuilding.jobs",
    publish="microleak.attacks.table_rebuilding.publish:PUBLICATION",
    part="microleak.attacks.table_rebuilding.report:SHOWN",
    risks="microleak.attacks.table_rebuilding.risks:RISKS",
)
