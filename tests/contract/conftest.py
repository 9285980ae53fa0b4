collect_ignore = ["toy"]
"""A family that a test adds to a copy of the code: here it cannot be imported."""
