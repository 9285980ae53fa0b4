"""What the best guess gains where guesses are worth more or less (gain functions)."""

from microleak.family import Family

FAMILY = Family("g_leakage")
