"""Databases rebuilt from noisy answers."""
