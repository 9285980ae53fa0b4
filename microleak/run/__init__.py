"""Running a study: checks before, rounds of Snakemake, progress."""
