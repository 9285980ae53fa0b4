"""The twin of the Higher Education Census."""
