"""What is published of it."""

from microleak.family import Publication

PUBLICATION = Publication(("toy",))
