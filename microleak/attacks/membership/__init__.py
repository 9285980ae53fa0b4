"""Who of a population is in a sample."""
