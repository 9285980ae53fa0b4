"""Attacks on one person."""
