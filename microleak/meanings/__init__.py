"""The type and meaning of the columns of the result tables, said once."""
