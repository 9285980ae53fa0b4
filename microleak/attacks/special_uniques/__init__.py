"""Who stands out by few attributes: special uniques (SUDA)."""

from microleak.family import Family

FAMILY = Family("special_uniques")
