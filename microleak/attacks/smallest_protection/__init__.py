"""The smallest protection that keeps a risk within bounds."""
