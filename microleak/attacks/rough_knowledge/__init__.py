"""What an adversary who knows the quasi-identifiers only roughly finds."""
