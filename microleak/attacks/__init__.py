"""The attacks of the papers, one folder a family."""
