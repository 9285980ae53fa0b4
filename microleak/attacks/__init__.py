"""The attacks of the papers, one module a family, one function a definition."""
