"""From people to codes: records read in chunks, coded, and profiled within bounds."""
