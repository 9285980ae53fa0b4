"""The collective family's part of the page."""
