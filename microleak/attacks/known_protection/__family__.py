"""What an adversary who knows how a release was protected finds."""

from microleak.family import Family

FAMILY = Family(
    "known_protection",
    section="microleak.attacks.known_protection.section",
    jobs="microleak.attacks.known_protection.jobs",
    part="microleak.attacks.known_protection.report:SHOWN",
    risks="microleak.attacks.known_protection.risks:RISKS",
)
