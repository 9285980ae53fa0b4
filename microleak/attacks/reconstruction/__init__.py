"""Databases rebuilt from noisy answers."""

from microleak.family import Family

FAMILY = Family(
    "reconstruction",
    functions=("reconstruct",),
    check="attempts:check_memory_of",
)
