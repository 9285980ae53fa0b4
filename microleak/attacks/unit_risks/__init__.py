"""Who is found, and what is learnt, by somebody who knows a household."""

from microleak.family import Family

FAMILY = Family("unit_risks")
