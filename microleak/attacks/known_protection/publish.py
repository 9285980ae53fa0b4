"""What is published of known protections: the tables."""

from microleak.family import Publication

PUBLICATION = Publication(("known_protection", "undone_cells"))
