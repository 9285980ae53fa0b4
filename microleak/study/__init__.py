"""Study files, the loops over what they ask for, and the tables that result."""
