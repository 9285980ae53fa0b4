"""The twin of the School Census."""
