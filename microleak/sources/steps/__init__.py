"""The jobs that make people of releases: ingest, deduplicate, join, synthesise."""
