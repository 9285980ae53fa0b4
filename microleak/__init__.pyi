"""The types of what `microleak` loads when it is asked for."""

from microleak.attacks.anonymity.frames import anonymity as anonymity
from microleak.attacks.collective.frames import assess as assess
from microleak.attacks.collective.frames import panel as panel
from microleak.attacks.composition.frames import composition as composition
from microleak.attacks.g_leakage.frames import g_leakage as g_leakage
from microleak.attacks.intersection.frames import intersection as intersection
from microleak.attacks.known_protection.frames import (
    known_protection as known_protection,
)
from microleak.attacks.linkage.frames import linkage as linkage
from microleak.attacks.mechanism.frames import mechanism as mechanism
from microleak.attacks.membership.frames import membership as membership
from microleak.attacks.query_answers.frames import query_answers as query_answers
from microleak.attacks.reconstruction.frames import reconstruct as reconstruct
from microleak.attacks.risk_groups.frames import risk_groups as risk_groups
from microleak.attacks.rough_knowledge.frames import rough_knowledge as rough_knowledge
from microleak.attacks.smallest_protection.frames import (
    smallest_protection as smallest_protection,
)
from microleak.attacks.special_uniques.frames import special_uniques as special_uniques
from microleak.attacks.table_rebuilding.frames import (
    rebuilt_crossings as rebuilt_crossings,
)
from microleak.attacks.table_rebuilding.frames import (
    table_rebuilding as table_rebuilding,
)
from microleak.attacks.targets.frames import target as target
from microleak.audit.opened import open_results as open_results
from microleak.protection.frames import protect as protect

__version__: str
