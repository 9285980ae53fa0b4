"""Tools of statistical disclosure control, and no rule of one family."""
