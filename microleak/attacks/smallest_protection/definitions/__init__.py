"""Equations of the search."""
