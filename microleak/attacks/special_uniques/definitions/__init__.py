"""Scores of minimal sample uniques."""
