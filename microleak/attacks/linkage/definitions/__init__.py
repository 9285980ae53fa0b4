"""Links without an identifier, by their formulas."""
