"""Beliefs of an adversary who knows how a release was protected."""
