"""Result tables: their columns, and the files that they are written to."""
