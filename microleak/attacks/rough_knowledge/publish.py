"""What is published of rough knowledge: the table."""

from microleak.family import Publication

PUBLICATION = Publication(("rough_knowledge",))
