"""What noise buys and costs where counts are published."""

from microleak.family import Family

FAMILY = Family(
    "mechanism",
    part="report.part:SHOWN",
    publish="jobs:PUBLICATION",
)
