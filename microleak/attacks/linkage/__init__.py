"""How often a person is found in two releases without an identifier."""
