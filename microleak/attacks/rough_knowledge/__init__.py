"""What an adversary who knows the quasi-identifiers only roughly finds."""

from microleak.family import Family

FAMILY = Family("rough_knowledge")
