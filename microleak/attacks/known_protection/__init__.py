"""What an adversary finds in a protected release who knows how it was protected."""
