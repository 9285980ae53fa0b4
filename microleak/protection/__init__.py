"""Protected releases: what is done to the records of one."""
