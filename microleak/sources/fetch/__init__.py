"""Releases fetched from servers, whole or resumed."""
