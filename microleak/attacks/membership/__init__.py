"""Who of a population is in a sample."""

from microleak.family import Family

FAMILY = Family("membership", publish="jobs:PUBLICATION")
