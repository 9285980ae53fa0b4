"""What is published of a search: its tables."""

from microleak.family import Publication

PUBLICATION = Publication(("smallest_protection", "witnesses", "cuts"))
