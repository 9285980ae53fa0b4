"""Who is alone by one attribute: the smallest family there can be."""

from microleak.family import Family

FAMILY = Family("toy")
