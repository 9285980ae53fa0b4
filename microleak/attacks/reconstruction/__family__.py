"""Databases rebuilt from answers."""

from microleak.family import Family

FAMILY = Family(
    "reconstruction",
    section="microleak.attacks.reconstruction.section",
    jobs="microleak.attacks.reconstruction.jobs",
    part="microleak.attacks.reconstruction.report:SHOWN",
    check="microleak.attacks.reconstruction.attempts:check_memory_of",
)
