"""Who is at risk: success of the attacks on groups of the persons."""

from microleak.family import Family

FAMILY = Family("risk_groups")
