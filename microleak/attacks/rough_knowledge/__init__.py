"""What an adversary finds who knows the quasi-identifiers only roughly."""
