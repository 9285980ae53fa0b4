"""What noise buys and costs where counts are published."""

from microleak.family import Family

FAMILY = Family("mechanism", publish="jobs:PUBLICATION")
