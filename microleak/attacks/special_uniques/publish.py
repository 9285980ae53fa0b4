"""What is published of special uniques: their tables."""

from microleak.family import Publication

PUBLICATION = Publication(
    ("special_uniques", "suda_scores", "suda_attributes", "suda_values")
)
