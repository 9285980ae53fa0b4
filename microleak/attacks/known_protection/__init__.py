"""What an adversary who knows how a release was protected finds in it."""
