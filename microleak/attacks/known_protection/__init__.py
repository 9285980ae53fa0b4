"""What an adversary who knows how a release was protected finds in it."""

from microleak.family import Family

FAMILY = Family("known_protection")
