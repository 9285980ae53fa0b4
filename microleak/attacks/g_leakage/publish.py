"""What is published of gain functions: their table."""

from microleak.family import Publication

PUBLICATION = Publication(("g_leakage",))
