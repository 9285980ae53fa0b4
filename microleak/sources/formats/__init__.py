"""Formats of records: delimited, fixed width, dBase, packed dBase."""
