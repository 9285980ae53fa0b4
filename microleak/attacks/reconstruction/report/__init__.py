"""The reconstruction family's part of the page."""
