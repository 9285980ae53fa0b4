"""g-vulnerability and g-leakage."""
