"""What several independent releases tell together of who is in all of them."""

from microleak.family import Family

FAMILY = Family("intersection")
