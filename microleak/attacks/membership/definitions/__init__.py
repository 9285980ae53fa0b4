"""Membership attacks as Rodrigues defines them."""
