"""Collective attacks as Nunes and Gonze define them."""
