"""Figures of collective attacks."""
