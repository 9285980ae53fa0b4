"""Mechanisms, privacy loss and utility as Nunes defines them."""
