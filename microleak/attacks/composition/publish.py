"""What is published of several noisy counts: their table."""

from microleak.family import Publication

PUBLICATION = Publication(("composition",))
