"""The step of tables of counts, which depends on files, and which ones it read."""

from microleak.step import step_of_files

STEPS, PUBLICATION = step_of_files("table_rebuilding")
