"""The risk that a household or other unit is found by what is known of a member."""

from collections.abc import Iterator

import pandas as pd

from microleak.attacks.unit_risks.report import worst_set
from microleak.report import risks as kit
from microleak.report.texts import Voice

_TABLE = "unit_risks"
_WHOLE = pd.Series({"sensitive": ""})


def risks(
    measured: kit.RiskTables, _: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risk of each analysis with the most QIDs, as `Risks` has it."""
    for _name, rows in kit.numbered(measured[_TABLE]).groupby("analysis", sort=False):
        row = worst_set(rows)
        of = kit.attack_of(pd.concat([row, _WHOLE]), row["focal"])
        yield kit.Risk(
            **of,
            words=voice.say(f"ripd_unit_risks.{of['kind']}", row),
            chance=kit.NumberCell(_TABLE, int(row["row"]), "share_found"),
        )


RISKS = kit.Risks((_TABLE,), risks)
