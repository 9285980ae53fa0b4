"""Reconstruction attacks as Nepomuceno defines them."""
