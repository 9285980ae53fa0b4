"""What is published of who is at risk: the table."""

from microleak.family import Publication

PUBLICATION = Publication(("risk_groups",))
