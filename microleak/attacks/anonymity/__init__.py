"""How anonymous a release is by the usual models."""
