"""What the best guess gains where guesses are worth more or less."""

from microleak.family import Family

FAMILY = Family(
    "g_leakage",
    section="microleak.attacks.g_leakage.section",
    makes=("g_leakage",),
    part="microleak.attacks.g_leakage.report:SHOWN",
)
