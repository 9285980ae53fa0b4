"""The anonymity family's part of the page."""
