"""What an adversary who knows the quasi-identifiers only roughly finds."""

from microleak.family import Family

FAMILY = Family(
    "rough_knowledge",
    section="microleak.attacks.rough_knowledge.section",
    makes=("rough_knowledge",),
    part="microleak.attacks.rough_knowledge.report:SHOWN",
)
