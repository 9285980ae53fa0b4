"""What is published of who is at risk, all the way from rows of attributes."""

import pyarrow as pa

from microleak.attacks.risk_groups.analysis import RiskGroups
from microleak.attacks.risk_groups.measure import risk_table
from microleak.attacks.risk_groups.publish import published_alone
from microleak.base.machine import Resources


def publish_alone(folder, people, qids, by, **more):
    """The table `alone` of people, rows of attributes."""
    columns = {
        name: [None if row[name] is None else str(row[name]) for row in people]
        for name in people[0]
    }
    given = {"name": "demo", "table": "people", "focal": "2", "qids": qids, "by": by}
    analysis = RiskGroups.model_validate(given | more)
    found = risk_table(pa.table(columns), analysis, Resources(1, 16_000, folder))
    return published_alone(found, analysis)
