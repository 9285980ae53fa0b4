"""How many values an attribute has."""
