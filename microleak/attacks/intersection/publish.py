"""What is published of independent releases: the table."""

from microleak.family import Publication

PUBLICATION = Publication(("intersection",))
