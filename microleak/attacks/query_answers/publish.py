"""What is published of what answers to queries give away: the result tables."""

from microleak.family import Publication

PUBLICATION = Publication(("query_answers", "answered_values", "audited_queries"))
