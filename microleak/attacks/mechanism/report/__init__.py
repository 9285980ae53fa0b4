"""The mechanism family's part of the page."""
