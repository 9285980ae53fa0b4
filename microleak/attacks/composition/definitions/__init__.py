"""Several noisy counts, exactly and bounded."""
