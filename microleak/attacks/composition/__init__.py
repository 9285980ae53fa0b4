"""What several noisy counts with one budget leak together."""
