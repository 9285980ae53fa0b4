"""Attacks on one person."""

from microleak.family import Family

FAMILY = Family("targets", functions=("target",), publish="jobs:PUBLICATION")
