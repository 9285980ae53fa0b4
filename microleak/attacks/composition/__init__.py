"""What several noisy counts with one budget leak together."""

from microleak.family import Family

FAMILY = Family("composition")
