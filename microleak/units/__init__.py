"""Households and other units: what is known of the members of each."""
