"""How often a person is found in two releases without an identifier."""

from microleak.family import Family

FAMILY = Family("linkage")
