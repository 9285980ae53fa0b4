"""The smallest protection that keeps a risk within bounds."""

from microleak.family import Family

FAMILY = Family("smallest_protection", publish="jobs:PUBLICATION")
