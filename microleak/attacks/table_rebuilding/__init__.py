"""What tables of counts prove about the records that they were made of."""

from microleak.family import Family

FAMILY = Family(
    "table_rebuilding",
    functions=("table_rebuilding", "rebuilt_crossings"),
    publish="jobs:PUBLICATION",
)
