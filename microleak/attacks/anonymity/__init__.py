"""How anonymous a release is by the usual models."""

from microleak.family import Family

FAMILY = Family("anonymity")
