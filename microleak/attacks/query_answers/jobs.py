"""The step of answers to queries, which depends on files, and which ones it read."""

from microleak.step import step_of_files

STEPS, PUBLICATION = step_of_files("query_answers")
