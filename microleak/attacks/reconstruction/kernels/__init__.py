"""Kernels that no other family uses."""
