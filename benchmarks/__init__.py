"""How fast microleak is, and how fast its peers are at the same counts."""
