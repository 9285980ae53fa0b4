"""Databases rebuilt from noisy answers."""

from microleak.family import Family

FAMILY = Family(
    "reconstruction",
    functions=("reconstruct",),
    part="report.part:SHOWN",
    check="attempts:check_memory_of",
)
