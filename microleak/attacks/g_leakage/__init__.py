"""What the best guess gains where guesses are worth more or less (gain functions)."""
