"""Models of anonymity: k, l, t, k-map, and uniqueness in the population."""
