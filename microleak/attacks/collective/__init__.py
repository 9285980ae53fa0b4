"""Attacks on all persons at once: re-identification and attribute inference."""
