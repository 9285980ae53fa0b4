"""What is published of what tables prove: the result tables."""

from microleak.family import Publication

PUBLICATION = Publication(("table_rebuilding", "rebuilt_cells", "rebuilt_sizes"))
