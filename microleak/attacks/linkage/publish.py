"""What is published of links without an identifier: the tables."""

from microleak.family import Publication

PUBLICATION = Publication(("linkage", "linkage_bins", "linked_success"))
