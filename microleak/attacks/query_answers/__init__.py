"""What answers to queries - sums, means, medians, maxima, minima - give away."""
