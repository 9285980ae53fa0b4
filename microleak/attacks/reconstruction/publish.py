"""What is published of reconstruction analyses: their tables."""

from microleak.family import Publication

PUBLICATION = Publication(("reconstruction", "bad_points"))
