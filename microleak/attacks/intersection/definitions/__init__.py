"""The intersection attack, by its formulas."""
