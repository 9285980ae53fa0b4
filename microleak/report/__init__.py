"""The report: one page that can be read without a network, with its tables."""
