"""Success of the attacks on a member of a group."""
