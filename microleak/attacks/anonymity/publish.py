"""What is published of anonymity analyses: their tables."""

from microleak.family import Publication

PUBLICATION = Publication(("anonymity", "classes", "uniqueness"))
