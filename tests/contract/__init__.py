"""What holds of every family, and what a move of code may not change."""
